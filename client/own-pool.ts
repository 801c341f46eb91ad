// Where a program that imports `toolpool` finds its user's pool: the same state folder, socket and daemon program as the
// command line in the same environment. Looks at nothing and starts nothing.
import { join } from "node:path";
import { placeOf } from "./commands/surroundings.ts";
import type { ConnectOptions } from "./connector.ts";
import type { Environment } from "./daemon-start.ts";

/** What `connectToPool` needs to know of the world. `env` is also the daemon's, if one has to be started. */
export function ownPool(env: Environment = process.env): Pick<ConnectOptions, "place" | "daemonProgram" | "env"> {
  return { place: placeOf({ env, uid: process.getuid?.() }), daemonProgram: join(import.meta.dirname, "daemon.js"), env };
}
