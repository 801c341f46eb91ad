// What the platform is to start, with every path absolute: node, our program, where state and configuration are, and the PATH on
// which servers find `npx` and the like. Refuses paths that no such file can hold, instead of writing something else.
import { dirname, isAbsolute, join } from "node:path";

/** What `install` was asked for. It stands in the file, so that a later look can tell what would be generated now. */
export interface Asked {
  readonly configFile?: string;
  readonly port?: number;
  readonly path: string;
}

export interface Launch {
  readonly asked: Asked;
  readonly node: string;
  readonly program: string;
  readonly stateFolder: string;
  readonly configFile: string;
  /** `NAME=value` lines for `${NAME}` in the configuration. */
  readonly environmentFile: string;
}

/** The words behind the program's name. */
export function wordsOf({ asked }: Launch): readonly string[] {
  const { configFile, port } = asked;
  return [
    "up",
    "--foreground",
    ...(configFile === undefined ? [] : ["--config", configFile]),
    ...(port === undefined ? [] : ["--port", String(port)]),
  ];
}

/** Control characters end a line, or are taken as something else, in both kinds of file. */
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The first path that cannot be written down. */
export function unwritable({ node, program, stateFolder, configFile, environmentFile }: Launch): string | undefined {
  return [node, program, stateFolder, configFile, environmentFile].find((path) => CONTROL.test(path));
}

/** Folders that belong to one shell or one run of npm, and are gone or wrong afterwards. */
const PASSING = /(^|\/)(node_modules\/\.bin|node-gyp-bin|fnm_multishells)(\/|$)/;
const ALWAYS = ["/usr/local/bin", "/usr/bin", "/bin"];

/** The PATH of the shell, less what does not last, with the folder of this node (its `npx` stands beside it). */
export function lastingPath(path: string | undefined, node: string): string {
  const lasting = (path ?? "")
    .split(":")
    .filter((folder) => isAbsolute(folder) && !PASSING.test(folder) && !CONTROL.test(folder));
  const own = dirname(node);
  const first = lasting.includes(own) || own.includes(":") ? [] : [own];
  return [...new Set([...first, ...lasting, ...ALWAYS])].join(":");
}

/** npm's cache of `npx`: whatever runs from there may be gone tomorrow. */
export const isPassingProgram = (program: string): boolean => program.includes(join("/_npx/"));
