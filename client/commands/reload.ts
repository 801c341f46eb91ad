// `toolpool reload`: the running daemon reads its configuration file again. Says which servers changed and what is wrong in the
// file; a file that cannot be taken leaves the old configuration, and is exit code 2.
import { configFile } from "../../config/paths.ts";
import { issueLine } from "../output/issue-line.ts";
import { visible } from "../output/visible.ts";
import { withPool, type Run } from "./surroundings.ts";

export async function reload(run: Run): Promise<number> {
  return withPool(run, async ({ client, discovery }) => {
    const { screen } = run;
    const { changed, errors } = await client.request("config.reload", {}, { signal: run.signal });
    const refused = errors.some((error) => error.alias === undefined);
    if (screen.json) {
      screen.value({ changed, errors });
      return refused ? 2 : 0;
    }
    for (const error of errors)
      screen.note(screen.noteColours.red(issueLine(discovery.configFile ?? configFile(run.env), error)));
    if (refused) {
      screen.note("The old configuration stays. Correct the file, then: toolpool reload");
      return 2;
    }
    screen.line(changed.length === 0 ? "Nothing has changed" : `Changed: ${changed.map(visible).join(", ")}`);
    return 0;
  });
}
