// Long lines and endless ones: whose answer they were, what they cost, and the splitter by itself.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { LineSplitter, type OverlongLine } from "../../daemon/upstream/lines.ts";
import { ownerOf } from "../../daemon/upstream/overlong.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { call, connected, DO, launch, never, refusal, scripted, structured } from "./links.ts";

const LIMIT = { maxMessageBytes: 1 << 20 };

proves("UPS-12", "an answer over the cap fails its own call with both sizes; the others and the link go on", async () => {
  const { link } = await connected(scripted({}), LIMIT);
  const other = structured(link, "do", { steps: [{ hold: "later" }] });
  const error = await refusal(link.callRaw("do", { steps: [{ bytes: 3_000_000 }] }, { signal: never }));
  expect(error.code).toBe("too_large");
  expect(error.details.limitBytes).toBe(1 << 20);
  expect(error.details.sizeBytes).toBeGreaterThan(3_000_000);
  expect(error.details.sizeBytes).toBeLessThan(3_000_100);
  await call(link, "do", { steps: [{ release: "later" }] });
  expect(await other).toBeDefined();
});

proves("UPS-12", "an id at the end of the message, as the official SDK writes it, is found", async () => {
  const raw = `{"result":{"content":[],"id":1,"big":"$PAD(2000000)"},"jsonrpc":"2.0","id":$ID}\n`;
  const { link } = await connected(scripted({ tools: [DO, { name: "tail", does: [{ raw }, { never: true }] }] }), LIMIT);
  const other = structured(link, "do", { steps: [{ hold: "later" }] });
  expect((await refusal(link.callRaw("tail", {}, { signal: never }))).code).toBe("too_large");
  await call(link, "do", { steps: [{ release: "later" }] });
  expect(await other).toMatchObject({ tool: "do" });
});

proves("UPS-12", "without an id it is the only call in flight; among several nobody can tell, and the link ends", async () => {
  const raw = `{"result":{"big":"$PAD(2000000)"}}\n`;
  const script = scripted({ tools: [DO, { name: "anonymous", does: [{ raw }, { never: true }] }] });
  const { link } = await connected(script, LIMIT);
  expect((await refusal(link.callRaw("anonymous", {}, { signal: never }))).code).toBe("too_large");
  const waiting = refusal(link.callRaw("do", { steps: [{ never: true }] }, { signal: never }));
  const error = await refusal(link.callRaw("anonymous", {}, { signal: never }));
  expect([error.code, (await waiting).code]).toEqual(["closed", "closed"]);
  expect(await link.closed).toEqual({ kind: "broken", why: "a line over the limit that belongs to no call" });
});

proves("UPS-12", "a notification over the cap belongs to no call", async () => {
  const raw = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"$PAD(2000000)"}}\n`;
  const { link, seen } = await connected(scripted({ tools: [{ name: "log", does: { raw } }] }), LIMIT);
  expect(await structured(link, "log")).toMatchObject({ tool: "log" });
  expect(seen.noise).toBe(1);
});

proves("UPS-12", "the tail of an over-long line is never a message", async () => {
  const { link } = await connected(launch("forged-tail"), LIMIT);
  const victim = structured(link, "victim");
  expect((await refusal(link.callRaw("forge", {}, { signal: never }))).code).toBe("too_large");
  await call(link, "release");
  expect(await victim).toEqual({ forged: false });
});

proves("UPS-12", "a line that never ends fails its call while it goes on, in bounded memory", async () => {
  const { link } = await connected(launch("endless-line", "id-first"), LIMIT);
  const before = process.memoryUsage().rss;
  const error = await refusal(link.callRaw("flood", {}, { signal: never }));
  expect(error.code).toBe("too_large");
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * (1 << 20));
});

proves("UPS-12", "a line that stops in the middle fails its call all the same", async () => {
  const { link } = await connected(launch("endless-line"), LIMIT);
  const error = await refusal(link.callRaw("flood", { bytes: 2 << 20 }, { signal: never }));
  expect({ code: error.code, limitBytes: error.details.limitBytes }).toEqual({ code: "too_large", limitBytes: 1 << 20 });
});

proves("UPS-12", "a list over the cap fails as a list, and the link goes on", async () => {
  const listFile = join(tempFolder(), "tools.json");
  writeFileSync(listFile, JSON.stringify([{ name: "big", description: "x".repeat(2 << 20) }]));
  const { link } = await connected(scripted({ listFile }), LIMIT);
  const error = await refusal(link.listToolsRaw(never));
  expect({ code: error.code, rule: error.details.rule }).toEqual({ code: "list_failed", rule: "too_large" });
  writeFileSync(listFile, "[]");
  expect(await link.listToolsRaw(never)).toEqual([]);
});

proves("UPS-12", "the owner of a line, from its first and last bytes", () => {
  const answer = (id: number | string): object => ({ kind: "answer", id });
  const unknown = { kind: "unknown" };
  for (const [head, tail, owner] of [
    ['{"jsonrpc":"2.0","id":7,"result":{"x":"aaa', "", answer(7)],
    [' {"id" : "7" , "result":{"x":"aaa', "", answer("7")],
    ['{"result":{"id":3},"id":7,"x":"aaa', "", answer(7)],
    ['{"result":{"id":3,"x":"aaa', "", unknown],
    ['{"result":{"id":3,"x":"aaa', 'aaa"},"jsonrpc":"2.0","id":7}\r', answer(7)],
    ['{"result":{"x":"aaa', 'aaa","id":7}}', unknown],
    ['{"result":{"x":"aaa', 'aaa\\"id\\":7}', unknown],
    ['{"jsonrpc":"2.0","method":"notifications/message","params":{"x":"aaa', '"},"id":7}', { kind: "no_answer" }],
    ['{"id":7', "", unknown],
    ["aaaa", ',"id":7}', unknown],
    ['["aaaa', ',"id":7}', unknown],
    ["", "", unknown],
    ["{", "", unknown],
    ['{"id"', "", unknown],
    ['{"a":tru', "", unknown],
  ] as const) {
    expect([head, tail, ownerOf(head, tail)]).toEqual([head, tail, owner]);
  }
});

/** Lines and over-long lines as a splitter gives them. */
function split(bytes: Buffer, cuts: readonly number[], limit: number): { lines: string[]; overlong: OverlongLine[] } {
  const lines: string[] = [];
  const overlong: OverlongLine[] = [];
  const splitter = new LineSplitter(limit, {
    onLine: (text) => lines.push(text),
    onOverlong: (line) => overlong.push(line),
    onEndless: () => undefined,
  });
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    splitter.push(bytes.subarray(start, cut));
    start = cut;
  }
  return { lines, overlong };
}

proves("UPS-12", "however the bytes are cut, the same lines come out, and none over the cap", () => {
  const text = fc.array(fc.string({ unit: "grapheme", maxLength: 30 }).map((line) => line.replaceAll("\n", " ")));
  fc.assert(
    fc.property(text, fc.array(fc.nat(200)), (given, cuts) => {
      const bytes = Buffer.from(given.map((line) => `${line}\n`).join(""));
      const at = cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b);
      const { lines, overlong } = split(bytes, at, 20);
      expect(lines).toEqual(given.filter((line) => Buffer.byteLength(line) <= 20));
      const long = given.filter((line) => Buffer.byteLength(line) > 20);
      expect(overlong.filter(({ ended }) => ended).map(({ bytes: size }) => size)).toEqual(
        long.map((line) => Buffer.byteLength(line)),
      );
    }),
  );
});

proves("UPS-12", "a stream without an end is given up once", () => {
  let endless = 0;
  const splitter = new LineSplitter(
    10,
    { onLine: () => undefined, onOverlong: () => undefined, onEndless: () => endless++ },
    100,
  );
  for (let i = 0; i < 50; i++) splitter.push(Buffer.alloc(10, "x"));
  expect(endless).toBe(1);
});

proves("UPS-13", "four times the line takes about four times as long", async () => {
  const { link } = await connected(scripted({}));
  const time = async (megabytes: number): Promise<number> => {
    const start = performance.now();
    const raw = await link.callRaw("do", { steps: [{ bytes: megabytes << 20 }] }, { signal: never });
    expect(raw.bytes).toBeGreaterThan(megabytes << 20);
    return performance.now() - start;
  };
  await time(10);
  // Quadratic reading would need sixteen times as long; the smaller of two, for a noisy machine.
  const small = Math.min(await time(10), await time(10));
  const large = Math.min(await time(40), await time(40));
  expect(large / small).toBeLessThan(10);
});
