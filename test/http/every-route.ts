// Every way in that there is: the routes as Fastify has registered them, so that a new one is in the tests on its own, and requests
// that no route is made for.
import { expect } from "vitest";
import { createApp } from "../../daemon/http/app.ts";
import { Faults } from "../../daemon/http/answers.ts";
import { Callers } from "../../daemon/http/callers.ts";
import { restRoutes } from "../../daemon/http/rest.ts";
import { Rpc } from "../../daemon/http/rpc.ts";
import { Watches } from "../../daemon/http/watches.ts";
import type { Ask, Reply, Running } from "./daemon.ts";
import { FakePorts } from "./fake-ports.ts";

/** `GET /v1/servers/:alias` and so on, as registered. */
export async function registeredRoutes(): Promise<readonly { readonly method: string; readonly path: string }[]> {
  const ports = new FakePorts();
  const faults = new Faults({ error: () => undefined, debug: () => undefined });
  const watches = new Watches(ports.registry, faults, 1_000);
  const rest = restRoutes(ports, "0");
  const app = createApp({ rest, rpc: new Rpc(ports, faults), watches, callers: new Callers(), faults, bodyLimit: 1 });
  await app.ready();
  const lines = app.printRoutes({ commonPrefix: false }).split("\n");
  await app.close();
  const open: string[] = [];
  return lines.flatMap((line) => {
    const match = /^(.*?)([^\s│├└─].*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (match === null) return [];
    const [, indent = "", part = "", methods] = match;
    open.length = indent.length / 4 - 1;
    open.push(part);
    return (methods?.split(", ") ?? []).map((method) => ({ method, path: open.join("") }));
  });
}

const concrete = (path: string): string => path.replace(":version", "7").replace(/:[a-z]+/g, "x");

export const everyAsk = async (): Promise<readonly Ask[]> => {
  const registered = await registeredRoutes();
  const asks = registered.map(({ method, path }) => ({ method, path: concrete(path) }));
  const others = ["/", "/nowhere", "/v1/registry/nowhere", "*"].flatMap((path) =>
    ["GET", "POST", "OPTIONS"].map((method) => ({ method, path })),
  );
  const unusual = ["OPTIONS", "DELETE", "PUT", "PATCH", "PROPFIND", "TRACE"].flatMap((method) =>
    ["/rpc", "/livez", "/v1/registry"].map((path) => ({ method, path })),
  );
  return [...asks, ...others, ...unusual];
};

/** The reason, in whichever form the surface has. HEAD has no body. */
function reasonOf({ text }: Reply): unknown {
  if (text === "") return undefined;
  const { error } = JSON.parse(text) as { error?: { reason?: string; data?: { reason?: string } } };
  return error?.reason ?? error?.data?.reason;
}

export const expectRefused = (ask: Ask, reply: Reply, http: number, reason: string): void => {
  const seen = { ask, status: reply.status, reason: ask.method === "HEAD" ? reason : reasonOf(reply) };
  expect(seen).toEqual({ ask, status: http, reason });
};

/** Nothing a caller may not know: no port was asked, no CORS header given. */
export function expectNothingDone({ ports }: Running): void {
  expect(ports.asked).toEqual([]);
  expect(ports.watches.size).toBe(0);
}
