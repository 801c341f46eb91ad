// Lists and results over a link: pages walked to the end or refused whole, odd content untouched, change notices, and servers made with
// the official SDK.
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { expect } from "vitest";
import { LIST_LIMITS } from "../../daemon/upstream/tool-pages.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";
import { call, connected, launch, never, refusal, scripted } from "./links.ts";

proves("UPS-16", "an empty cursor is a cursor, null is none, and all pages are one list in order", async () => {
  for (const [mode, names] of [
    ["empty-cursor", ["t0", "t1"]],
    ["null-cursor", ["t0"]],
    ["two-pages", ["t0", "t1"]],
  ] as const) {
    const { link } = await connected(launch("paginates-oddly", mode));
    const tools = (await link.listToolsRaw(never)) as readonly { readonly name: string }[];
    expect([mode, tools.map(({ name }) => name)]).toEqual([mode, names]);
  }
});

for (const [mode, details] of [
  ["same-cursor", { rule: "repeated_cursor", page: 2 }],
  ["a-b-a", { rule: "repeated_cursor", page: 3 }],
  ["endless", { rule: "too_many_pages", limit: LIST_LIMITS.pages }],
  ["endless-tools", { rule: "too_many_tools", page: 101, limit: LIST_LIMITS.tools }],
  ["second-page-errors", { rule: "error_answer", code: -32000 }],
  ["not-a-list", { rule: "tools_not_a_list", page: 1 }],
  ["no-object", { rule: "result_not_an_object", page: 1 }],
  ["number-cursor", { rule: "cursor_not_text", page: 1 }],
] as const) {
  proves("UPS-16", `pages of the kind "${mode}" fail as a whole: ${details.rule}`, async () => {
    const { link } = await connected(launch("paginates-oddly", mode));
    const error = await refusal(link.listToolsRaw(never));
    expect({ code: error.code, details: error.details }).toEqual({ code: "list_failed", details });
  });
}

proves("UPS-16", "a walk can be given up between and within pages, and leaves no listener on the signal", async () => {
  const { link } = await connected(launch("paginates-oddly", "endless"));
  const abort = new AbortController();
  const walking = refusal(link.listToolsRaw(abort.signal));
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  expect((await walking).code).toBe("aborted");
  const other = await connected(launch("paginates-oddly", "two-pages"));
  const kept = new AbortController();
  await other.link.listToolsRaw(kept.signal);
  expect(getEventListeners(kept.signal, "abort")).toEqual([]);
});

proves("UPS-17", "odd tools, unknown members and unknown blocks come through as they are", async () => {
  const odd = await connected(launch("paginates-oddly", "odd-tools"));
  expect(await odd.link.listToolsRaw(never)).toEqual([
    null,
    5,
    "text",
    { name: 7 },
    { name: "x", inputSchema: true, "x-own": { deep: [1] } },
  ]);
  const { link } = await connected(scripted({}));
  for (const reply of [
    {
      content: [{ type: "hologram", data: { a: [null] } }],
      structuredContent: [1],
      _meta: "odd",
      isError: "maybe",
      task: { taskId: "t" },
    },
    null,
    5,
    "text",
    [1, 2],
    {},
  ]) {
    expect(await call(link, "do", { steps: [{ reply }] })).toEqual(reply);
  }
});

proves("UPS-18", "undeclared, before the first list, before the handshake has ended, and two hundred times", async () => {
  const early = await connected(launch("greets-oddly", "early-change"));
  expect(early.seen.changes).toBe(1);
  const { link, seen } = await connected(scripted({ capabilities: {}, announceAtStart: true }));
  expect(await link.listToolsRaw(never)).toHaveLength(1);
  expect(seen.changes).toBe(1);
  await call(link, "do", { steps: [{ announce: 200 }] });
  expect(seen.changes).toBe(201);
  await link.close("done");
});

for (const [name, entry, args, tool, given] of [
  ["everything", "dist/index.js", [], "echo", { message: "hello" }],
  ["memory", "dist/index.js", [], "read_graph", {}],
  ["filesystem", "dist/index.js", ["."], "list_allowed_directories", {}],
] as const) {
  proves("UPS-26", `server-${name}: handshake, list, a call, a polite end`, async () => {
    const program = join(import.meta.dirname, `../../node_modules/@modelcontextprotocol/server-${name}`, entry);
    const command = { command: process.execPath, args: [program, ...args], env: {}, cwd: tempFolder() };
    const { link, info } = await connected(command, { graceMs: 2_000 });
    expect(info.serverInfo.name).not.toBe("");
    const tools = (await link.listToolsRaw(never)) as readonly { readonly name: string }[];
    expect(tools.map((one) => one.name)).toContain(tool);
    expect(await call(link, tool, given)).toHaveProperty("content");
    await link.close("done");
  });
}
