// The methods of `POST /rpc`: which port answers which. Every entry gives the JSON text of the result; texts that the ports hold
// already (outcomes, snapshots) go through unparsed. New work is refused once the daemon is closing, reads and releases are not.
import { canonicalJson, shuttingDown, VERSIONS_LIMIT, type MethodName, type MethodParams } from "../contract/index.ts";
import type { HttpPorts, LossyNumbers } from "./ports.ts";

export interface Asked {
  /** Aborts when the caller is lost before its answer; made when it is asked for. */
  readonly signal: () => AbortSignal;
  /** Aborts when the caller is lost; lives as long as the connection. */
  readonly callerLost: () => AbortSignal;
  readonly lossy: LossyNumbers;
}

type Run<M extends MethodName> = (params: MethodParams<M>, asked: Asked) => string | Promise<string>;

export type MethodTable = { readonly [M in MethodName]: Run<M> };

export function methodTable({ registry, sessions, calls, servers, daemon }: HttpPorts): MethodTable {
  return {
    "pool.hello": (params) => JSON.stringify(daemon.hello(params)),
    "session.open": work(async (params, { signal }) => JSON.stringify(await sessions.open(params, signal()))),
    "session.close": async (params) => {
      await sessions.close(params);
      return "{}";
    },
    "session.heartbeat": (params) => JSON.stringify(sessions.heartbeat(params)),
    "registry.snapshot": (params) => sessions.snapshot(params).json,
    "registry.versions": ({ since = 0, limit = VERSIONS_LIMIT.default }) => JSON.stringify(registry.versions(since, limit)),
    "registry.diff": ({ from, to }) => canonicalJson(registry.diff(from, to)),
    "tools.call": work(async (params, { callerLost, lossy }) => (await calls.call(params, lossy, callerLost())).json),
    "tools.cancel": (params) => JSON.stringify(calls.cancel(params)),
    "servers.list": () => JSON.stringify(servers.list()),
    "servers.get": ({ alias }) => JSON.stringify(servers.get(alias)),
    "servers.connect": work(async (params, { signal }) => JSON.stringify(await servers.connect(params, signal()))),
    "servers.disconnect": async (params) => JSON.stringify(await servers.disconnect(params)),
    "servers.restart": work(async (params, { signal }) => JSON.stringify(await servers.restart(params, signal()))),
    "servers.inspect": work(async (params, { signal }) => JSON.stringify(await servers.inspect(params, signal()))),
    "config.reload": work(async () => JSON.stringify(await daemon.reload())),
    "daemon.shutdown": (params) => {
      daemon.shutdown(params);
      return "{}";
    },
  };

  /** Refused with `shutting_down` from the moment closing began. */
  function work<M extends MethodName>(run: Run<M>): Run<M> {
    return (params, asked) => {
      if (!daemon.ready()) throw shuttingDown();
      return run(params, asked);
    };
  }
}
