// What a command is given of the world: environment, streams, the signal of Ctrl-C, and where the daemon lives. Handed down
// as an argument, so that a command never looks at `process` itself.
import { resolve } from "node:path";
import { socketPathFor, stateFolder } from "../../config/paths.ts";
import { connectToPool, type Connected } from "../connector.ts";
import type { Screen } from "../output/screen.ts";
import type { Place } from "../probe.ts";

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** As if Ctrl-C had been pressed: where a terminal in raw mode makes a key of it. */
  readonly interrupt: () => void;
  /** `work` is done, in one turn, when the program ends in whatever way it can notice; the returned function forgets it. */
  readonly atExit?: (work: () => void) => () => void;
  /** The daemon's program file. */
  readonly daemonProgram: string;
  /** The Node.js that runs us. */
  readonly nodeProgram: string;
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
}

/** A command's run: the world and its screen. */
export interface Run extends Surroundings {
  readonly screen: Screen;
}

export function placeOf({ env, uid }: Pick<Surroundings, "env" | "uid">): Place {
  const folder = resolve(stateFolder(env));
  return { stateFolder: folder, socketPath: socketPathFor(folder, env), uid };
}

/** Work with the running daemon; the connection is closed on every way out. */
export async function withPool<T>(run: Run, work: (pool: Connected) => Promise<T>): Promise<T> {
  const pool = await connectToPool({ ...connecting(run), start: false });
  try {
    return await work(pool);
  } finally {
    await pool.client.close();
  }
}

export function connecting(run: Run): Omit<Parameters<typeof connectToPool>[0], "start"> {
  const { env, signal, daemonProgram, screen } = run;
  return { place: placeOf(run), env, signal, daemonProgram, onProgress: (notice) => screen.note(notice) };
}
