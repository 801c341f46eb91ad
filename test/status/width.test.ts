// Widths, and tables that are made by them.
import fc from "fast-check";
import { expect } from "vitest";
import { size } from "../../client/output/amounts.ts";
import { coloursFor } from "../../client/output/colours.ts";
import { renderTable } from "../../client/output/table.ts";
import { ago, roughly } from "../../client/output/times.ts";
import { visible } from "../../client/output/visible.ts";
import { breakItems, breakLines, cut, cutMiddle, displayWidth, holdTogether } from "../../client/output/width.ts";
import { proves } from "../support/promise.ts";
import { foreignText } from "./facts.ts";

const colours = coloursFor({}, {});

proves("PAGE-4", "a cut is at a whole character and never wider than asked; what fits stays as it is", () => {
  expect(cut("日本語", 6)).toBe("日本語");
  expect(cut("日本語", 5)).toBe("日本…");
  expect(cut("日本語", 4)).toBe("日…");
  expect(cut("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
  expect(cut("👍🏽👍🏽", 3)).toBe("👍🏽…");
  expect([cut("abc", 1), cut("abc", 0)]).toEqual(["…", ""]);
  expect(cutMiddle("/home/somebody/state/toolpool.sock", 20)).toBe("/home/…toolpool.sock");
  fc.assert(
    fc.property(foreignText, fc.nat(60), (text, width) => {
      for (const shorter of [cut(visible(text), width), cutMiddle(visible(text), width)]) {
        expect(displayWidth(shorter)).toBeLessThanOrEqual(width);
        if (displayWidth(visible(text)) <= width) expect(shorter).toBe(visible(text));
      }
    }),
  );
});

proves("PAGE-4", "text is broken between words, and nothing of it gets lost", () => {
  expect(breakLines("one two three", 7)).toEqual(["one two", "three"]);
  expect(breakLines("日本語日本語", 5)).toEqual(["日本", "語日", "本語"]);
  expect(breakLines(`see ${holdTogether("toolpool restart x")}`, 20)).toEqual(["see", "toolpool restart x"]);
  expect(breakItems(["4 tools", "pid 12", "58 MiB"], 15)).toEqual(["4 tools,", "pid 12, 58 MiB"]);
  expect(breakLines("", 10)).toEqual([""]);
  const squeezed = (text: string): string => text.replaceAll(/[ \u00a0]/g, "");
  fc.assert(
    fc.property(foreignText, fc.integer({ min: 2, max: 60 }), (text, width) => {
      const lines = breakLines(visible(text), width);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect(squeezed(lines.join(""))).toBe(squeezed(visible(text)));
    }),
  );
});

proves("PAGE-4", "columns behind wide characters begin where they begin in every other line", () => {
  const table = renderTable(
    [{ head: "NAME" }, { head: "N", right: true }, { head: "TEXT" }],
    [
      ["日本語", 1, "x"],
      ["👍 ok", 22, "y"],
      ["plain", 333, "日".repeat(30)],
    ],
    { colours, width: 30 },
  );
  const lines = table.split("\n");
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(30);
  const before = (line: string, sign: string): number => displayWidth(line.slice(0, line.indexOf(sign)));
  expect([before(lines[1] ?? "", "x"), before(lines[2] ?? "", "y"), before(lines[0] ?? "", "TEXT")]).toEqual([13, 13, 13]);
  expect(lines[3]).toBe(`plain   333  ${"日".repeat(8)}…`);
});

proves("PAGE-4", "sizes and times of the page", () => {
  expect([0, 812, 3_200, 61_000_000, 1_288_490_189].map((bytes) => size(bytes))).toEqual([
    "0 B",
    "812 B",
    "3.1 KiB",
    "58 MiB",
    "1.2 GiB",
  ]);
  expect(size(undefined)).toBe("–");
  expect([-5, 900, 59_999, 60_000, 7_199_999, 172_800_000].map(roughly)).toEqual(["0 s", "0 s", "59 s", "1 min", "1 h", "2 d"]);
  const now = Date.parse("2026-01-01T00:00:10.000Z");
  expect(
    ["2026-01-01T00:00:09.500Z", "2026-01-01T00:00:03.000Z", "2026-01-01T00:01:00.000Z", "?"].map((iso) => ago(iso, now)),
  ).toEqual(["just now", "7 s ago", "just now", "?"]);
});
