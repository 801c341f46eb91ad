// The text of the launchd agent. Pure. launchd can neither read a file of variables nor tell exit codes apart, so our own program
// does both (`up --launchd`). It bounds how often a failing program is started, by time and not by number (launchd.plist(5)).
import { build } from "plist";
import { wordsOf, type Launch } from "./launch.ts";
import { markerOf } from "./marker.ts";

export const LABEL = "local.toolpool";

/** `errorLog` takes what the program says when it does not start; the daemon's own log is in its state folder. */
export function launchdAgent(launch: Launch, errorLog: string): string {
  const { asked, node, program, stateFolder, configFile, environmentFile } = launch;
  const text = build({
    Label: LABEL,
    ProgramArguments: [node, program, ...wordsOf(launch), "--launchd", environmentFile],
    EnvironmentVariables: { TOOLPOOL_STATE: stateFolder, TOOLPOOL_CONFIG: configFile, PATH: asked.path },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 30,
    ExitTimeOut: 90,
    ProcessType: "Interactive",
    StandardOutPath: "/dev/null",
    StandardErrorPath: errorLog,
  });
  const comment = `<!-- Written by \`toolpool service install\`, which writes it anew. ${markerOf(asked)} -->`;
  return `${text.replace("<plist ", () => `${comment}\n<plist `)}\n`;
}
