// One tool printed in full: what stands there, how wide, and that nothing of it is raw.
import fc from "fast-check";
import { expect } from "vitest";
import { displayWidth } from "../../client/output/width.ts";
import { toolDetails } from "../../client/review/tool-details.ts";
import { proves } from "../support/promise.ts";
import { refused, row } from "./tools.ts";

proves("CHO-7", "names, proposal, cost, refusals with the remedy, flags, notes, hints, description and arguments", () => {
  const full = row(
    "send",
    {
      initial: { effect: "read", as: "post" },
      proposal: { effect: "external", why: "its name sends" },
      change: "changed",
      flags: [{ kind: "link", pointer: "/description", message: "has a link", excerpt: "data:…" }],
    },
    {
      title: "Send it",
      description: "Sends.\n\n  - to all\n\tand none",
      annotations: { readOnlyHint: true, title: "x" },
      refusals: [{ code: "name_collision", pointer: "", message: "has the name of another" }, ...refused.refusals],
      notes: [{ pointer: "/inputSchema", message: "is large" }],
      outputSchema: { type: "object" },
    },
  );
  expect(toolDetails(full, 70).join("\n")).toBe(
    `send
  exposed as mcp__alpha__send
  local name: post
  title: Send it
  effect: read; proposed: external, its name sends
  cost: 5 tokens, 10 bytes in each request
  changed since it was reviewed
  refused: has the name of another: give one of them another local
  name, or hide one
  refused: /inputSchema/type must be object: it can only be hidden,
  until its author repairs it
  flag: /description has a link: "data:…"
  note: /inputSchema is large
  it says of itself (hints): readOnlyHint: true, title: "x"
description, in its own words:
  Sends.

    - to all
    and none
arguments:
  {
    "type": "object"
  }
result:
  {
    "type": "object"
  }`,
  );
});

proves("CHO-7", "whatever a server writes: no line is wider than asked, none holds a control or invisible character", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 4, max: 120 }), (name, description, width) => {
      const lines = toolDetails(row(name, {}, { description, title: description, inputSchema: { [name]: description } }), width);
      for (const line of lines) {
        expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/u);
        expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }
    }),
  );
});

proves("CHO-7", "a huge description, schema or list of hints is cut, and how much is missing is said", () => {
  const description = "word ".repeat(100_000);
  const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${String(at)}`, true]));
  const annotations = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`hint${String(at)}`, true]));
  const lines = toolDetails(row("big", {}, { description, annotations, inputSchema: { type: "object", properties } }), 100);
  expect(lines.length).toBeLessThan(600);
  expect(lines).toContain("  … 480000 more characters are not shown");
  expect(lines).toContain("  … 4805 more lines are not shown");
  expect(lines.join(" ")).toContain("480 more");
});
