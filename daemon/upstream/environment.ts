// The environment of a child process: a short list of names that programs need to find their home, their programs and their
// terminal, plus what the server's own configuration adds. It never passes on anything else of ours: tokens and keys of the
// daemon's environment stay with the daemon.

export type Environment = Readonly<Record<string, string>>;

const INHERITED = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

const INHERITED_WINDOWS = [
  "APPDATA",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "USERNAME",
  "USERPROFILE",
];

/** `added` wins over `from`. Values of `from` that start with `()` are skipped: old shells run them as functions. */
export function childEnvironment(
  added: Environment,
  from: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Environment {
  const windows = platform === "win32";
  const environment: Record<string, string> = {};
  // Windows does not distinguish case: `Path` of the configuration must replace, not join, the inherited `PATH`.
  const same = (name: string): string => (windows ? name.toUpperCase() : name);
  const replaced = new Set(Object.keys(added).map(same));
  const wanted = new Set(windows ? INHERITED_WINDOWS : INHERITED);
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || value.startsWith("()")) continue;
    if (wanted.has(same(name)) && !replaced.has(same(name))) environment[name] = value;
  }
  return Object.freeze({ ...environment, ...added });
}

/** A variable by name; on Windows by any spelling of it. */
export function variable(
  environment: Environment,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform !== "win32") return environment[name];
  return Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1];
}
