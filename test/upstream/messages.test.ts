// What else comes over the pipes: noise on stdout, floods on stderr, numbers that JavaScript would change.
import fc from "fast-check";
import { compareNumber } from "lossless-json";
import { expect } from "vitest";
import { canonicalJson, isNumberText } from "../../daemon/contract/index.ts";
import { readLine } from "../../daemon/upstream/messages.ts";
import { exactText, parseExactly } from "../../daemon/upstream/numbers.ts";
import { StderrRing } from "../../daemon/upstream/stderr-ring.ts";
import { proves } from "../support/promise.ts";
import { call, connected, eventually, launch, never, scripted, structured } from "./links.ts";

proves(
  "UPS-10",
  "banner, blank lines, mark, CR LF, colours, JSON that is no message: counted, and every call is right",
  async () => {
    const { link, seen } = await connected(launch("prints-banner"));
    expect(await link.listToolsRaw(never)).toHaveLength(1);
    for (let i = 0; i < 3; i++) expect(await structured(link, "lookup")).toEqual({ fine: true });
    // Twelve lines behind each of five answers.
    await eventually(() => seen.noise >= 60);
    expect(seen.noise).toBe(60);
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
      // What JavaScript would write for it has the value that was written.
      expect(compareNumber(isNumberText(exact[1]) ? exact[1].value : String(exact[1]), String(big))).toBe(0);
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
