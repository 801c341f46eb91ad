// `toolpool status`: one page about the daemon, its servers, its sessions and what happened last. Without a daemon it says how
// to start one; that is exit code 3, so that scripts can ask.
import type { RegistrySummary, ServerStatus, SessionInfo, VersionRow } from "../../daemon/contract/index.ts";
import { configFile } from "../../config/paths.ts";
import { DaemonUnavailable } from "../daemon-unavailable.ts";
import { localTime, since } from "../output/times.ts";
import { serverTable } from "./servers.ts";
import { placeOf, withPool, type Run } from "./surroundings.ts";
import { versionTable } from "./versions.ts";

const LAST_VERSIONS = 5;

export async function status(run: Run): Promise<void> {
  try {
    await withPool(run, async ({ client, hello, discovery }) => {
      const options = { signal: run.signal };
      const [registry, servers, sessions, versions] = await Promise.all([
        client.get<RegistrySummary>("/v1/registry", options),
        client.get<readonly ServerStatus[]>("/v1/servers", options),
        client.get<readonly SessionInfo[]>("/v1/sessions", options),
        client.get<readonly VersionRow[]>(`/v1/registry/versions?limit=${String(LAST_VERSIONS)}`, options),
      ]);
      const { stateFolder } = placeOf(run);
      const { screen } = run;
      if (screen.json) {
        screen.value({
          running: true,
          daemon: { ...discovery, program: hello.program, stateFolder },
          registry,
          servers,
          sessions,
          versions,
        });
        return;
      }
      screen.line(
        screen.colours.green(
          `Toolpool ${hello.program.version} is running (pid ${String(hello.pid)}, ${since(hello.startedAt)})`,
        ),
      );
      screen.line(`  url      ${discovery.url}`);
      screen.line(`  socket   ${discovery.socketPath}`);
      screen.line(`  state    ${stateFolder}`);
      screen.line(`  config   ${discovery.configFile ?? configFile(run.env)}`);
      screen.line(
        `  version  ${String(registry.version)} (${String(registry.toolCount)} tools; oldest in memory ${String(registry.floor)})`,
      );
      screen.line();
      serverTable(screen, servers);
      screen.line();
      sessionTable(run, sessions);
      screen.line();
      versionTable(screen, versions);
    });
  } catch (error) {
    if (run.screen.json && error instanceof DaemonUnavailable && error.code === "not_running") {
      run.screen.value({ running: false, stateFolder: placeOf(run).stateFolder });
    }
    throw error;
  }
}

function sessionTable({ screen }: Run, sessions: readonly SessionInfo[]): void {
  if (sessions.length === 0) {
    screen.line("No sessions");
    return;
  }
  screen.table(
    [
      { head: "SESSION" },
      { head: "ROLE" },
      { head: "OPENED" },
      { head: "CALLS", right: true },
      { head: "ATTACHED" },
      { head: "LABEL" },
    ],
    sessions.map((session) => [
      session.sessionId,
      session.role,
      localTime(session.openedAt),
      session.callsInFlight,
      session.attached.join(", "),
      session.label ?? "",
    ]),
  );
}
