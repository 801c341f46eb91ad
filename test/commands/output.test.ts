// What commands print, without a daemon: made visible, laid out, explained.
import { expect } from "vitest";
import fc from "fast-check";
import { explainConnectFailure } from "../../client/output/connect-failure.ts";
import { coloursFor } from "../../client/output/colours.ts";
import { indentJson } from "../../client/output/json-text.ts";
import { Screen } from "../../client/output/screen.ts";
import { renderTable } from "../../client/output/table.ts";
import { duration, localTime, since } from "../../client/output/times.ts";
import { visible, visibleLines } from "../../client/output/visible.ts";
import { cut } from "../../client/output/width.ts";
import { CONNECT_FAILURE_MESSAGES } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";

const colours = coloursFor({}, {});

class Paper {
  readonly isTTY: boolean;
  readonly columns = 60;
  text = "";
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string): void {
    this.text += text;
  }
}

proves("CMD-11", "controls, bidirectional marks, zero-width and tag characters are shown as their numbers", () => {
  expect(visible("a\u001b[31mred\u0007")).toBe("a\\u001b[31mred\\u0007");
  expect(visible("two\nlines\t\r")).toBe("two\\nlines\\t\\r");
  expect(visible("x\u202etxt.exe\u2066\u200b\ufeff\u009b2J\u{e0041}\ud800")).toBe(
    "x\\u202etxt.exe\\u2066\\u200b\\ufeff\\u009b2J\\u{e0041}\\ud800",
  );
  expect(visible("größer 😀 日本")).toBe("größer 😀 日本");
  expect(visibleLines("a\n\tb\u001b")).toBe("a\n\tb\\u001b");
});

proves("CMD-11", "no text at all leaves a control on the screen", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visible(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});

proves("CMD-11", "JSON laid out for people is the same JSON, numbers letter by letter", () => {
  expect(indentJson('{"n":12345678901234567890,"f":1.0,"a":[],"o":{},"s":"{,\\"}"}')).toBe(
    '{\n  "n": 12345678901234567890,\n  "f": 1.0,\n  "a": [],\n  "o": {},\n  "s": "{,\\"}"\n}',
  );
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(JSON.parse(indentJson(json))).toEqual(JSON.parse(json));
      expect(indentJson(indentJson(json))).toBe(indentJson(json));
    }),
  );
});

proves("CMD-11", "an outcome on a terminal carries no control of the server's; a program gets the exact text", () => {
  const outcome = '{"content":[{"text":"\u009b2J"}],"n":1.0}';
  const person = new Paper(true);
  new Screen({ stdout: person, stderr: person, env: {}, json: false }).jsonText(outcome);
  expect(person.text).toContain('"text": "\\u009b2J"');
  const program = new Paper(true);
  new Screen({ stdout: program, stderr: program, env: {}, json: true }).jsonText(outcome);
  expect(program.text).toBe(`${outcome}\n`);
});

proves("CMD-12", "columns are as wide as they need; the last one is cut to the line and made visible", () => {
  const table = renderTable(
    [{ head: "A" }, { head: "N", right: true }, { head: "TEXT" }],
    [
      ["one", 5, "short"],
      ["three", 1234, `long ${"x".repeat(100)}\u001b`],
    ],
    { colours, width: 40 },
  );
  expect(table.split("\n")).toEqual(["A         N  TEXT", "one       5  short", `three  1234  long ${"x".repeat(21)}…`]);
  expect(cut("abc", 3)).toBe("abc");
});

proves("CMD-12", "colours and moving lines are for terminals; NO_COLOR, FORCE_COLOR and TERM=dumb decide", () => {
  const tty = { isTTY: true };
  const coloured = (stream: object, env: NodeJS.ProcessEnv): boolean => coloursFor(stream, env).isColorSupported;
  expect(coloured(tty, {})).toBe(true);
  expect(coloured({}, {})).toBe(false);
  expect(coloured(tty, { NO_COLOR: "1" })).toBe(false);
  expect(coloured(tty, { TERM: "dumb" })).toBe(false);
  expect(coloured({}, { FORCE_COLOR: "1" })).toBe(true);
  const pipe = new Paper(false);
  const screen = new Screen({ stdout: pipe, stderr: pipe, env: {}, json: false });
  screen.moving("Connecting…");
  screen.settle();
  expect(pipe.text).toBe("");
});

proves("CMD-12", "a moving line is taken away before the next line is written", () => {
  const terminal = new Paper(true);
  const screen = new Screen({ stdout: terminal, stderr: terminal, env: { NO_COLOR: "1" }, json: false });
  screen.moving("Connecting… 1 s");
  screen.line("done");
  expect(terminal.text).toBe("\r\u001b[2KConnecting… 1 s\r\u001b[2Kdone\n");
});

proves("CMD-12", "durations and times read well", () => {
  expect([0.24, 7, 999, 1_234, 59_900, 200_000, 3_600_000, 93_600_000].map((ms) => duration(ms))).toEqual([
    "0.2 ms",
    "7 ms",
    "999 ms",
    "1.2 s",
    "59.9 s",
    "3 min 20 s",
    "1 h",
    "1 d 2 h",
  ]);
  expect(duration(null)).toBe("–");
  expect(since("2026-01-01T00:00:00.000Z", Date.parse("2026-01-01T00:00:05.000Z"))).toBe("5 s");
  expect(localTime("2026-01-31T14:05:09.000Z")).toMatch(/^2026-\d\d-\d\d \d\d:\d\d:09$/);
  expect(localTime("no time")).toBe("no time");
});

proves("CMD-13", "every code has a next step that names the server or the file", () => {
  for (const code of Object.keys(CONNECT_FAILURE_MESSAGES)) {
    const { next } = explainConnectFailure("demo", code, undefined);
    expect(next, code).toMatch(/demo|configuration|review|Log in/);
  }
});

proves("CMD-13", "unreviewed and missing tools, refusals, and where a command was looked for are laid out", () => {
  const policy = explainConnectFailure("demo", "policy_mismatch", { unreviewed: ["a", "b"], missing: [] });
  expect(policy.lines).toEqual(["not in the policy: a, b"]);
  expect(policy.next).toContain("mcpServers.demo.tools");
  const schema = explainConnectFailure("demo", "schema_rejected", [{ tool: "a", pointer: "/inputSchema/x", message: "no" }]);
  expect(schema.lines).toEqual(["a  /inputSchema/x  no"]);
  const places = Array.from({ length: 103 }, (_, at) => ({ tool: "a", pointer: `/${String(at)}`, message: "no" }));
  const drift = explainConnectFailure("demo", "definition_drift", places);
  expect(drift.lines).toHaveLength(20);
  expect(drift.lines.at(-1)).toBe("and 84 more");
  const spawned = explainConnectFailure("demo", "spawn_failed", {
    why: "not found",
    reason: "x",
    searched: ["/usr/bin", "/bin"],
  });
  expect(spawned.lines).toEqual(["not found", "looked in: /usr/bin, /bin"]);
});
