// What comes over the pipes: noise, floods, long and endless lines, numbers; and the parts that read them, by themselves.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { canonicalJson, isNumberText } from "../../daemon/contract/index.ts";
import { LineSplitter, type OverlongLine } from "../../daemon/upstream/lines.ts";
import { readLine } from "../../daemon/upstream/messages.ts";
import { exactText, parseExactly } from "../../daemon/upstream/numbers.ts";
import { ownerOf } from "../../daemon/upstream/overlong.ts";
import { StderrRing } from "../../daemon/upstream/stderr-ring.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { call, connected, DO, eventually, launch, never, refusal, scripted, structured } from "./links.ts";

proves(
  "UPS-10",
  "banner, blank lines, mark, CR LF, colours, JSON that is no message: counted, and every call is right",
  async () => {
    const { link, seen } = await connected(launch("prints-banner"));
    expect(await link.listToolsRaw(never)).toHaveLength(1);
    for (let i = 0; i < 3; i++) expect(await structured(link, "lookup")).toEqual({ fine: true });
    // Twelve lines stand before each of four further answers; those behind the last may be on their way.
    await eventually(() => seen.noise >= 48);
    expect(seen.noise % 12 === 0 || seen.noise < 60).toBe(true);
    await eventually(() => seen.noise === 60);
  },
);

proves("UPS-10", "lines that are JSON and no message, one by one", () => {
  const noise = [
    "",
    " ",
    "{",
    "{}",
    "[]",
    "123",
    "null",
    '"x"',
    "[1]",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":null,"result":{}}',
    '{"jsonrpc":"2.0","id":1.5,"result":{}}',
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}',
    '{"jsonrpc":"2.0","id":"x1","result":{}}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","method":5}',
    '{"jsonrpc":1,"id":1,"result":{}}',
    '{"id":1,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/progress"}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":null}}',
    "\uFFFD\uFFFD",
  ];
  for (const line of noise) expect([line, readLine(line, 0)]).toEqual([line, [{ kind: "noise" }]]);
  expect(readLine('\u001B[0m\u001B[32m{"jsonrpc":"2.0","id":1,"result":null,"error":null}\r', 9)).toEqual([
    { kind: "answer", id: 1, answer: { kind: "result", raw: { value: null, bytes: 9, hasNumberText: false } } },
  ]);
});

proves("UPS-10", "nesting too deep to be walked fails the call it answers and nothing else", () => {
  const depth = 100_000;
  const deep = `${"[".repeat(depth)}12345678901234567890${"]".repeat(depth)}`;
  expect(readLine(`{"jsonrpc":"2.0","id":3,"result":${deep}}`, 0)).toEqual([
    { kind: "answer", id: 3, answer: { kind: "remote_error", code: undefined } },
  ]);
});

proves("UPS-11", "256 KB to stderr without a line break before the answer does not stop the server", async () => {
  const { link } = await connected(launch("floods-stderr"));
  await call(link, "flood", { bytes: 256 * 1024 });
  await eventually(() => link.stderrTail().endsWith("END"));
  expect(Buffer.byteLength(link.stderrTail())).toBe(64 * 1024);
});

proves("UPS-11", "the ring holds the last bytes, in whole characters, whatever the pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
      const ring = new StderrRing(32);
      for (const piece of pieces) ring.push(Buffer.from(piece));
      const all = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
      if (all.length <= 32) expect(ring.text()).toBe(all.toString("utf8"));
      else expect(all.subarray(-32).toString("utf8").endsWith(ring.text())).toBe(true);
    }),
  );
  const ring = new StderrRing(5);
  ring.push(Buffer.from("xäöü"));
  expect(ring.text()).toBe("öü");
});

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

proves("UPS-17", "numbers no double can hold stay as they were written, through the link in both directions", async () => {
  const big = "12345678901234567890";
  const { link } = await connected(
    scripted({ tools: [{ name: "big", does: { rawResult: `{"n":${big},"m":7}` } }, { name: "echo" }] }),
  );
  const raw = await link.callRaw("big", {}, { signal: never });
  expect([raw.hasNumberText, canonicalJson(raw.value)]).toEqual([true, `{"m":7,"n":${big}}`]);
  const args = parseExactly(`{"z":1,"n":${big}}`).value as never;
  const line = await link.callRaw("echo", args, { signal: never });
  // The fixture reads with JSON.parse: what it says shows that the text arrived as a number.
  expect(line.value).toMatchObject({ structuredContent: { arguments: { z: 1, n: Number(big) } } });
  expect(exactText({ z: 1, n: args })).toBe(`{"z":1,"n":{"z":1,"n":${big}}}`);
});

proves("UPS-17", "a number is kept as text exactly when its value would change, and an unusual spelling is told", () => {
  const kept = [
    "12345678901234567890",
    "9007199254740993",
    "-18446744073709551615",
    "1e400",
    "1e-400",
    "0.1234567890123456789012",
    "1E+999",
  ];
  for (const text of kept) {
    const { value, hasNumberText } = parseExactly(`{"a":[${text}]}`);
    expect([text, hasNumberText, canonicalJson(value)]).toEqual([text, true, `{"a":[${text}]}`]);
  }
  const unusual = [
    "1.0",
    "1e3",
    "-0",
    "0.10",
    "1E5",
    "100000000000000000000000",
    "0.0000001",
    "9007199254740992.0",
    "0.0",
    "1.50",
  ];
  for (const text of unusual) {
    const exact = parseExactly(`{"a":${text}}`);
    expect([text, exact.unusual, exact.hasNumberText]).toEqual([text, true, false]);
  }
  for (const text of ["0", "1", "-1", "0.5", "0.30000000000000004", "9007199254740992", "1e+21", "123456789012345", "1e-7"]) {
    expect([text, parseExactly(`{"a": ${text} }`)]).toEqual([
      text,
      { value: { a: Number(text) }, hasNumberText: false, unusual: false },
    ]);
  }
});

proves("UPS-17", "digits inside strings, escapes and odd keys change nothing", () => {
  for (const value of [
    { text: ': 12345678901234567890 "x" \\', n: 1 },
    { '": 12345678901234567890': "\\\\", "\\": '\\"' },
    { uuid: "550e8400-e29b", list: ["1.0", ",1e999"] },
  ]) {
    expect(parseExactly(JSON.stringify(value)).value).toEqual(value);
  }
  const own = parseExactly('{"__proto__":{"a":1},"n":12345678901234567890,"n":2}');
  expect(Object.keys(own.value as object)).toEqual(["__proto__", "n"]);
  expect(Object.getPrototypeOf(own.value)).toBe(Object.prototype);
});

proves("UPS-17", "any JSON survives the careful way: as text when a number is large, else as the very value", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.bigInt({ min: 10n ** 17n, max: 10n ** 25n }), (text, big) => {
      const exact = parseExactly(`[${text},${String(big)}]`).value as unknown[];
      expect(exact[0]).toEqual(JSON.parse(text));
      const last = exact[1];
      expect(isNumberText(last) ? BigInt(last.value) : BigInt(last as number)).toBe(big);
    }),
  );
});

proves("UPS-17", "what a server writes to look like a kept number stays what it is", () => {
  const forged = { isLosslessNumber: true, value: '1},"x":{"y":2' };
  const { value } = parseExactly(JSON.stringify({ forged }));
  expect(exactText(value)).toBe(JSON.stringify({ forged }));
  expect(canonicalJson(value)).toBe(canonicalJson({ forged: { ...forged } }));
  expect(isNumberText(forged)).toBe(false);
});
