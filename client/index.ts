// What other programs may import as `toolpool`, name by name: the way to a daemon, the client, its errors, and the contract's
// types. It is the package's public face and no barrel for ourselves: nothing in the tree imports it, and what is not named here
// may change with any version. Of the contract everything is public as a type, and as values only what a caller needs.
export { connectToPool, type Connected, type ConnectOptions } from "./connector.ts";
export { DaemonUnavailable, type UnavailableCode } from "./daemon-unavailable.ts";
export type { StreamEvent } from "./event-stream.ts";
export { ownPool } from "./own-pool.ts";
export { PoolClient, type PoolAddress, type PoolClientOptions } from "./pool-client.ts";
export type { PoolPort, RequestOptions, ToolReply, ToolRequest } from "./pool-port.ts";
export { PoolUnreachable } from "./pool-unreachable.ts";
export { CONTRACT_VERSION, ERROR_TABLE, PoolError } from "../daemon/contract/index.ts";
export type * from "../daemon/contract/index.ts";
