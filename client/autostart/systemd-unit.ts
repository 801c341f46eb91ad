// The text of the systemd user unit. Pure. Everything that systemd would read as something else is escaped: `%` starts a
// specifier, `$` a variable (in arguments, not in the program's own path), quotes and backslashes belong to its quoting, and the
// path of an environment file is a pattern (systemd.service(5), systemd.exec(5), systemd.syntax(7)).
import { wordsOf, type Launch } from "./launch.ts";
import { markerOf } from "./marker.ts";

export function systemdUnit(launch: Launch): string {
  const { asked, node, program, stateFolder, configFile, environmentFile } = launch;
  const command = (words: readonly string[]): string => [executable(node), ...[program, ...words].map(argument)].join(" ");
  return `# Written by \`toolpool service install\`, which writes it anew: put changes of your own into a drop-in,
# \`systemctl --user edit toolpool.service\`.
# ${markerOf(asked)}
[Unit]
Description=Toolpool, one pool of MCP servers
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=simple
ExecStart=${command(wordsOf(launch))}
ExecReload=${command(["reload"])}
${[`TOOLPOOL_STATE=${stateFolder}`, `TOOLPOOL_CONFIG=${configFile}`, `PATH=${asked.path}`].map((line) => `Environment=${quoted(line)}`).join("\n")}
EnvironmentFile=-${pattern(environmentFile)}
# A refused configuration (2) stays refused until somebody corrects it; 130 and 143 are a stop during the start.
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
SuccessExitStatus=130 143
# The signal is for the first process alone, which passes it on once: a second one would mean "at once".
KillMode=mixed
TimeoutStopSec=90
# A server that takes all memory ends alone.
OOMPolicy=continue
SyslogIdentifier=toolpool

[Install]
WantedBy=default.target
`;
}

/** One word in systemd's quoting, with specifiers taken literally. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;
}

/** systemd takes no quotes and no backslash in the path of a program; a shell that becomes the program takes any. */
function executable(node: string): string {
  return /["'\\]/.test(node) ? `/bin/sh -c ${argument('exec "$0" "$@"')} ${argument(node)}` : quoted(node);
}

/** Words behind the program, where variables are expanded. Plain ones stay readable. */
function argument(text: string): string {
  return /^[\w./:@+,=-]+$/.test(text) ? text : quoted(text).replaceAll("$", "$$$$");
}

/** Not quoted by systemd: the rest of the line, a pattern of glob(7). */
function pattern(path: string): string {
  return path.replace(/[\\*?[\]]/g, "\\$&").replaceAll("%", "%%");
}
