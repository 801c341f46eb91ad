// Calls over real connections: numbers beyond a double, callers that leave, ids that are the same.
import { once } from "node:events";
import fc from "fast-check";
import { expect } from "vitest";
import { isLossy, lossyNumbers, mayBeLossy, toPointer } from "../../daemon/http/lossy-numbers.ts";
import { proves } from "../support/promise.ts";
import { rpcBytes, start, type Running } from "./daemon.ts";
import type { HeldCall } from "./fake-ports.ts";
import { call } from "./json-rpc.ts";

async function held(daemon: Running, count = 1): Promise<readonly HeldCall[]> {
  await daemon.ports.until(() => daemon.ports.held.length >= count);
  return daemon.ports.held;
}

const callText = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools.call","params":{"sessionId":"s1","version":7,"name":"works","arguments":${args}}}`;

proves("HTTP-13", "numbers that a double cannot hold are reported by pointer, the others are not", async () => {
  const daemon = await start();
  const args =
    '{"a/b~c":9007199254740993, "fine":[1.0,1e2,0.1,9007199254740992,1E23,-0,100000000000000000000,0.1234567890123456], "text":"9007199254740993", ' +
    '"deep":[{"x":[0,1e400]},{"":-12345678901234567890}], "tiny":1e-400, "pi":3.14159265358979323846, "9007199254740993":true}';
  await daemon.rpc(callText(args));
  expect(daemon.ports.lossy).toEqual([["/a~1b~0c", "/deep/0/x/1", "/deep/1/", "/tiny", "/pi"]]);
});

proves("HTTP-13", "only numbers in the arguments count, for each entry of a batch its own", async () => {
  const daemon = await start();
  const entry = (id: string, args: string): string => callText(args).replace('"id":1', `"id":${id}`);
  await daemon.rpc(
    `[${entry("12345678901234567890", '{"n":1}')}, ${entry("2", '{"n":[1,1e999]}')} , 3, ${entry("4", '{"m":1e999}')}]`,
  );
  expect(daemon.ports.lossy).toEqual([[], ["/n/1"], ["/m"]]);
});

proves("HTTP-13", "ten are enough for each call, and neither depth nor size hurts", async () => {
  const daemon = await start();
  const many = `[${Array.from({ length: 50_000 }, () => "12345678901234567890").join(",")}]`;
  await daemon.rpc(`[${callText(`{"many":${many}}`)},${callText('{"n":1e999}')}]`);
  expect(daemon.ports.lossy[0]).toEqual(Array.from({ length: 10 }, (_, index) => `/many/${String(index)}`));
  expect(daemon.ports.lossy[1]).toEqual(["/n"]);
  const depth = 100_000;
  await daemon.rpc(callText(`{"deep":${"[".repeat(depth)}1e999${"]".repeat(depth)}}`));
  expect(daemon.ports.lossy[2]).toEqual([`/deep${"/0".repeat(depth)}`]);
});

/** Exact comparison of a decimal with the double it becomes, as whole numbers of a common power of ten. */
function heldExactly(number: string): boolean {
  const asFraction = (text: string): readonly [bigint, number] => {
    const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
    const [, sign = "", whole = "0", fraction = "", exponent = "0"] = match ?? [];
    return [BigInt(`${sign}${whole}${fraction}`), Number(exponent) - fraction.length];
  };
  const double = Number(number);
  if (!Number.isFinite(double)) return false;
  const [left, leftExponent] = asFraction(number);
  const [right, rightExponent] = asFraction(String(double));
  const least = Math.min(leftExponent, rightExponent);
  return left * 10n ** BigInt(leftExponent - least) === right * 10n ** BigInt(rightExponent - least);
}

const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), minLength, maxLength });
const numberText = fc
  .tuple(fc.constantFrom("", "-"), digits(1, 22), fc.option(digits(1, 22)), fc.option(fc.integer({ min: -400, max: 400 })))
  .map(([sign, whole, fraction, exponent]) => {
    const head = whole.replace(/^0+(?=\d)/, "");
    return `${sign}${head}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : `e${String(exponent)}`}`;
  });

proves(
  "HTTP-13",
  "for any number: lossy exactly if its value changes, and then the first look sees it wherever it stands",
  () => {
    fc.assert(
      fc.property(numberText, fc.constantFrom('{"a":#}', "[#]", "[1,#]", '{"a":[0, #]}', "[\n#]"), (number, frame) => {
        expect(isLossy(number)).toBe(!heldExactly(number));
        if (isLossy(number)) expect(mayBeLossy(frame.replace("#", number))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  },
);

proves("HTTP-13", "for any JSON: the walk finds each number where it stands", () => {
  const lossy = 12345678901234567890n;
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), fc.nat(5), (before, after, key, space) => {
      const pad = " ".repeat(space);
      const text = `{"b":${JSON.stringify(before)},${pad}${JSON.stringify(`k${key}`)}${pad}:[${pad}${JSON.stringify(after)},${String(lossy)}]}`;
      const found = lossyNumbers(text, (path) => path[0] !== "b").filter(({ text: number }) => number === String(lossy));
      expect(found.map(({ path }) => path)).toEqual([[`k${key}`, 1]]);
      expect(toPointer(found[0]?.path ?? [])).toBe(`/k${key.replaceAll("~", "~0").replaceAll("/", "~1")}/1`);
    }),
    { numRuns: 500 },
  );
});

proves("HTTP-14", "a connection that breaks, by reset or by its end, aborts its call; the others go on", async () => {
  const daemon = await start();
  const staying = daemon.rpc(call(1, "hold"));
  await held(daemon, 1);
  for (const leave of ["reset", "end", "destroy"] as const) {
    const client = await daemon.raw(leave === "reset" ? "tcp" : "unix");
    const bytes = rpcBytes(call(1, "hold"));
    const withToken = bytes.replace(
      "Host: localhost",
      `Host: localhost:${String(daemon.port)}\r\nAuthorization: Bearer token-of-this-test`,
    );
    client.send(leave === "reset" ? withToken : bytes);
    const before = daemon.ports.held.length;
    const [lost] = (await held(daemon, before + 1)).slice(-1);
    expect(lost?.signal.aborted).toBe(false);
    if (leave === "reset") client.socket.resetAndDestroy();
    else if (leave === "end") client.socket.end();
    else client.destroy();
    await daemon.ports.until(() => lost?.signal.aborted === true);
    client.destroy();
  }
  expect(daemon.ports.held[0]?.signal.aborted).toBe(false);
  daemon.ports.held[0]?.answer("{}");
  expect((await staying).text).toContain('"result":{}');
  expect(daemon.errors).toEqual([]);
});

proves("HTTP-14", "all entries of a batch, and all pipelined calls, are cancelled with their connection", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  client.send(rpcBytes([call(1, "hold"), call(2, "hold")]) + rpcBytes(call(3, "hold")));
  const calls = await held(daemon, 3);
  client.destroy();
  await daemon.ports.until(() => calls.every(({ signal }) => signal.aborted));
});

proves("HTTP-14", "a caller that leaves after its answer has cancelled nothing", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  client.send(rpcBytes(call(1, "hold")));
  const [first] = await held(daemon, 1);
  first?.answer('{"first":true}');
  await client.receives('"first":true');
  client.send(rpcBytes({ jsonrpc: "2.0", id: 2, method: "session.open", params: {} }));
  await client.receives('"id":2');
  expect(daemon.http.counts()).toMatchObject({ connections: 1, requests: 0 });
  client.destroy();
  await once(client.socket, "close");
  await expect.poll(() => daemon.http.counts().connections).toBe(0);
  expect(daemon.ports.openSignals.map(({ aborted }) => aborted)).toEqual([false]);
  expect(daemon.errors).toEqual([]);
});

proves("HTTP-14", "a request whose body never ends reaches no port, and its connection may leave", async () => {
  const daemon = await start();
  const client = await daemon.raw("unix");
  client.send(rpcBytes(call(1, "works")).slice(0, -5));
  await expect.poll(() => daemon.http.counts().requests).toBe(1);
  client.destroy();
  await expect.poll(() => daemon.http.counts()).toEqual({ connections: 0, requests: 0, watches: 0 });
  expect(daemon.ports.asked).toEqual([]);
});

proves("HTTP-15", 'two callers and one caller twice, all with id 1, also 1 and "1": each gets its own answer', async () => {
  const daemon = await start();
  const argument = (of: HeldCall): string => JSON.stringify(of.params.arguments?.of);
  const one = await daemon.raw("unix");
  const two = await daemon.raw("unix");
  one.send(rpcBytes(call(1, "hold", { arguments: { of: "one-a" } })) + rpcBytes(call(1, "hold", { arguments: { of: "one-b" } })));
  two.send(rpcBytes(call(1, "hold", { arguments: { of: "two" } })));
  const batch = daemon.rpc([
    call(1, "hold", { arguments: { of: "number" } }),
    call("1", "hold", { arguments: { of: "string" } }),
  ]);
  const calls = await held(daemon, 5);
  for (const late of [...calls].reverse()) late.answer(`{"of":${argument(late)}}`);
  expect((await two.receives('"of":"two"')).match(/"of":"[a-z-]+"/g)).toEqual(['"of":"two"']);
  expect((await one.receives("one-b")).match(/"of":"[a-z-]+"/g)).toEqual(['"of":"one-a"', '"of":"one-b"']);
  expect(JSON.parse((await batch).text)).toEqual([
    { jsonrpc: "2.0", id: 1, result: { of: "number" } },
    { jsonrpc: "2.0", id: "1", result: { of: "string" } },
  ]);
  one.destroy();
  two.destroy();
});
