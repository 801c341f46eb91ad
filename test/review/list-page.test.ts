// The page as text, for every size of terminal: it fits, and the row at the cursor is on it.
import pc from "picocolors";
import fc from "fast-check";
import { expect } from "vitest";
import { displayWidth } from "../../client/output/width.ts";
import { openList, pressKey, type Key } from "../../client/review/effect-choice.ts";
import { listPage, widthOf } from "../../client/review/list-page.ts";
import { columnsFor } from "../../client/review/list-row.ts";
import { toolDetails } from "../../client/review/tool-details.ts";
import type { Flag } from "../../client/review/types.ts";
import { proves } from "../support/promise.ts";
import { refused, row } from "./tools.ts";

const colours = pc.createColors(false);
const flag: Flag = { kind: "link", pointer: "/description", message: "has a link" };
const rows = [
  row("读取一个非常长的名字".repeat(3), { change: "new" }, { description: "一个描述 ".repeat(20) }),
  row("x".repeat(90), { initial: { effect: "external", as: "short" }, flags: [flag, flag] }),
  row("bad", {}, refused),
  ...Array.from({ length: 30 }, (_, at) => row(`tool_${String(at)}`, {}, { description: "Does\u001b[2J a thing" })),
];

proves(
  "CHO-3",
  "at every size, whatever was pressed: no line is wider, no page higher than the terminal; the cursor's row is on it",
  () => {
    const kinds = ["up", "down", "end", "pageDown", "tab", "space", "enter", "right"] as const;
    const anyKey = fc.oneof(
      fc.constantFrom(...kinds).map((kind): Key => ({ kind })),
      fc.constantFrom("t", "=", "*", "读", "é").map((text): Key => ({ kind: "text", text })),
    );
    const size = fc.record({ columns: fc.integer({ min: 20, max: 160 }), rows: fc.integer({ min: 6, max: 50 }) });
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 30 }), size, (keys, terminal) => {
        const width = widthOf(terminal);
        let state = openList(rows);
        const draw = (): ReturnType<typeof listPage> => {
          const current = state.details === undefined ? undefined : state.shown[state.cursor];
          const details = current === undefined ? [] : toolDetails(current, width);
          const columns = columnsFor(rows, state.choices, width);
          return listPage(state, { columns, nameless: new Set(), details, title: "What may each do?", colours }, terminal);
        };
        for (const key of keys) if (state.end === "open") state = pressKey(state, key, draw().view);
        const { top, bottom } = draw();
        const lines = `${top}\n${bottom}`.split("\n");
        for (const line of lines) expect([line, displayWidth(line) < terminal.columns]).toEqual([line, true]);
        expect(lines.length).toBeLessThan(terminal.rows);
        if (state.shown.length > 0) expect(lines.filter((line) => line.startsWith("> ")).length).toBe(1);
        expect(bottom).not.toMatch(/\u001b/);
      }),
    );
  },
);
