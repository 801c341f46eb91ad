// `toolpool reload`: the running daemon reads its configuration file again. Says which servers changed and what is wrong in the
// file; a file that cannot be taken leaves the old configuration, and is exit code 2.
import { visible } from "../output/visible.ts";
import { withPool, type Run } from "./surroundings.ts";

export async function reload(run: Run): Promise<number> {
  return withPool(run, async ({ client }) => {
    const { screen } = run;
    const { changed, errors } = await client.request("config.reload", {}, { signal: run.signal });
    const refused = errors.some((error) => error.alias === undefined);
    if (screen.json) {
      screen.value({ changed, errors });
      return refused ? 2 : 0;
    }
    for (const { pointer, message, line, column } of errors) {
      const place = line === undefined ? "" : `line ${String(line)}, column ${String(column ?? 1)}: `;
      screen.note(screen.noteColours.red(`${place}${visible(pointer)}: ${visible(message)}`));
    }
    if (refused) {
      screen.note("The old configuration stays. Correct the file, then: toolpool reload");
      return 2;
    }
    screen.line(changed.length === 0 ? "Nothing has changed" : `Changed: ${changed.map(visible).join(", ")}`);
    return 0;
  });
}
