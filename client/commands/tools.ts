// `toolpool tools [--version N]`: the exposed tools of all connections, now or at a version.
import type { RegistrySnapshot, RegistrySummary } from "../../daemon/contract/index.ts";
import type { Screen } from "../output/screen.ts";
import { localTime } from "../output/times.ts";
import { withPool, type Run } from "./surroundings.ts";

export async function tools(run: Run, version: number | undefined): Promise<void> {
  await withPool(run, async ({ client }) => {
    const options = { signal: run.signal };
    const wanted = version ?? (await client.get<RegistrySummary>("/v1/registry", options)).version;
    const text = await client.getText(`/v1/registry/versions/${String(wanted)}`, options);
    if (run.screen.json) run.screen.jsonText(text);
    else say(run.screen, JSON.parse(text) as RegistrySnapshot);
  });
}

function say(screen: Screen, { version, at, cause, tools: list }: RegistrySnapshot): void {
  screen.line(screen.colours.dim(`Version ${String(version)} (${localTime(at)}, ${cause})`));
  if (list.length === 0) {
    screen.line("No tools are published; connect a server: toolpool connect <alias>");
    return;
  }
  screen.table(
    [{ head: "TOOL" }, { head: "EFFECT" }, { head: "SERVER" }, { head: "DESCRIPTION" }],
    list.map(({ name, effect, source, description }) => [
      name,
      { text: effect, paint: effect === "read" ? screen.colours.green : screen.colours.yellow },
      source.kind === "mcp" ? source.connectionId : "toolpool",
      description,
    ]),
  );
}
