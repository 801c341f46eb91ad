// Results on their way from a server to a model: errors, content, sizes. The whole daemon.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { isErrorOutcome, type ErrorOutcome, type OkOutcome } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { codeOf, scripted, TestPool } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

const ECHO = { name: "echo" };
const outputSchema = { type: "object", properties: { total: { type: "integer" } }, required: ["total"] };
const text = (value: string): object => ({ type: "text", text: value });

proves(
  "SHAPE-17",
  "an error with data that do not match is a remote error; the same without isError is an invalid result",
  async () => {
    const wrong = { total: "many", content: [], isError: false };
    const tool = (name: string, reply: object): object => ({ name, outputSchema, does: { reply } });
    const pool = await TestPool.start({
      servers: {
        alpha: scripted({
          tools: [
            tool("fails", { content: [text("private words")], structuredContent: wrong, isError: true }),
            tool("fails_bare", { content: [text("private words")], isError: true }),
            tool("lies", { content: [text("private words")], structuredContent: wrong }),
            tool("silent", { content: [text("private words")] }),
            // Members of the data that are named like those of an envelope are data.
            tool("named", { content: [], structuredContent: { total: 1, content: "x", isError: true, status: "error" } }),
          ] as never,
        }),
      },
    });
    const lead = await pool.lead(["alpha"]);
    const call = (name: string): Promise<unknown> => lead.call(`mcp__alpha__${name}`);
    for (const name of ["fails", "fails_bare"]) {
      expect(await call(name)).toEqual({
        error: { code: "mcp_remote_error", message: "MCP server reported a tool error" },
        server_alias: "alpha",
        status: "error",
        tool: name,
      });
    }
    expect(await call("lies")).toMatchObject({ error: { code: "result_invalid", issues: [{ pointer: "/total" }] } });
    expect(await call("silent")).toMatchObject({ error: { code: "result_invalid", issues: [{ pointer: "" }] } });
    expect(JSON.stringify([await call("lies"), await call("silent")])).not.toContain("private");
    expect(await call("named")).toEqual({
      content: [],
      server_alias: "alpha",
      status: "ok",
      structured_content: { content: "x", isError: true, status: "error", total: 1 },
      tool: "named",
    });
    // None of it is a fault of the connection's.
    expect(await pool.server("alpha")).toMatchObject({
      state: { kind: "connected" },
      connectionId: "alpha#1",
      stats: { failures: 0 },
    });
    await pool.stop();
  },
);

proves(
  "SHAPE-18",
  "every kind of block with its `_meta`, and structured data with unknown members, arrive letter by letter",
  async () => {
    const content = [
      {
        type: "text",
        text: "ünï \u2028 code",
        annotations: { audience: ["user"], priority: 0.5 },
        _meta: { "x/y": { deep: [1, null] } },
      },
      { type: "image", data: "AAAA", mimeType: "image/png", _meta: { a: 1 } },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///x", text: "t", _meta: { b: 2 } } },
      { type: "resource_link", uri: "file:///y", name: "y", size: 7 },
      { type: "hologram", frames: [[]], nested: { _meta: {} } },
    ];
    const structuredContent = { total: 3, extra: { z: [1.5, { _meta: { k: "v" } }], a: null }, _meta: { own: true } };
    const reply = { content, structuredContent, _meta: { top: 1 }, "x-own": true };
    const pool = await TestPool.start({
      servers: { alpha: scripted({ tools: [{ name: "all", outputSchema, does: { reply } }] }) },
    });
    const lead = await pool.lead(["alpha"]);
    expect(await lead.call("mcp__alpha__all")).toEqual({
      content,
      server_alias: "alpha",
      status: "ok",
      structured_content: structuredContent,
      tool: "all",
    });
    // The schema that it was checked by is in the view, over every route.
    const view = (await lead.snapshot()).tools.find(({ name }) => name === "mcp__alpha__all");
    expect(view?.outputSchema).toEqual(outputSchema);
    await pool.stop();
  },
);

proves("SHAPE-18", "checked by the schema of the snapshot, not by that of the newest list", async () => {
  const folder = tempFolder();
  const listFile = join(folder, "list");
  const reply = { content: [], structuredContent: { total: 1 } };
  const tools = (output: object, other: string): string =>
    JSON.stringify([
      { name: "count", outputSchema: output, does: { reply } },
      { name: "other", description: other },
      { name: "control", does: "arguments" },
    ]);
  writeFileSync(listFile, tools(outputSchema, "one"));
  const pool = await TestPool.start({
    folder,
    servers: { alpha: scripted({ listFile }, { tools: { count: "read", other: "read", control: "read" } }) },
  });
  const lead = await pool.lead(["alpha"]);
  const { version } = await lead.snapshot();
  const change = async (list: string): Promise<void> => {
    writeFileSync(listFile, list);
    const before = await pool.version();
    await lead.call("mcp__alpha__control", { steps: [{ announce: 1 }, { text: "done" }] });
    await pool.until(before, ({ changed }) => changed.length > 0);
  };
  // Another tool changes: this one's definition stands, and so does its check, without a new listing.
  await change(tools(outputSchema, "two"));
  expect(codeOf(await lead.call("mcp__alpha__count", {}, { version }))).toBe("ok");
  await change(tools({ ...outputSchema, properties: { total: { type: "string" } } }, "two"));
  expect(codeOf(await lead.call("mcp__alpha__count", {}, { version }))).toBe("unknown_tool/replaced");
  expect(codeOf(await lead.call("mcp__alpha__count"))).toBe("result_invalid");
  await pool.stop();
});

proves(
  "SHAPE-19",
  "62 KB, 5 MB, 40 MB, a picture of 4 MB, ten thousand blocks: whole, or too large with both sizes; the line stays",
  async () => {
    const MIB = 1024 * 1024;
    const files = tempFolder();
    const scriptFile = join(files, "script.json");
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(4 * MIB) };
    const blocks = Array.from({ length: 10_000 }, (_, n) => text(`block ${n} ü`));
    const tools = [
      { name: "bytes", does: "arguments" },
      { name: "image", does: { reply: { content: [image] } } },
      { name: "blocks", does: { reply: { content: blocks } } },
      ECHO,
    ];
    writeFileSync(scriptFile, JSON.stringify({ tools }));
    const server = (more: Readonly<Record<string, unknown>>): object => ({
      ...scripted({ tools }, more),
      args: [(scripted({}).args as string[])[0], `@${scriptFile}`],
    });
    const pool = await TestPool.start({
      servers: { usual: server({}), wide: server({ maxResultBytes: 64 * MIB }) },
    });
    const lead = await pool.lead(["usual", "wide"]);
    const bytes = (alias: string, n: number): Promise<unknown> => lead.call(`mcp__${alias}__bytes`, { steps: [{ bytes: n }] });
    const letters = (outcome: unknown): number => ((outcome as OkOutcome).content[0] as { text: string }).text.length;
    const tooLarge = (outcome: unknown): readonly unknown[] => {
      const { error } = outcome as ErrorOutcome;
      return [error.code, error.message, error.limit_bytes, Math.floor((error.size_bytes ?? 0) / 1_000_000)];
    };
    const message = "MCP server returned more than the allowed size";
    expect(letters(await bytes("usual", 62_000))).toBe(62_000);
    expect(tooLarge(await bytes("usual", 5_000_000))).toEqual(["result_too_large", message, 4 * MIB, 5]);
    expect(tooLarge(await bytes("usual", 40_000_000))).toEqual(["result_too_large", message, 4 * MIB, 40]);
    expect(letters(await bytes("wide", 5_000_000))).toBe(5_000_000);
    expect(letters(await bytes("wide", 40_000_000))).toBe(40_000_000);
    // The picture is larger than its own bytes: the limit is over the whole result.
    expect(tooLarge(await lead.call("mcp__usual__image"))).toEqual(["result_too_large", message, 4 * MIB, 4]);
    expect(await lead.call("mcp__wide__image")).toMatchObject({ content: [image] });
    for (const alias of ["usual", "wide"]) {
      const many = await lead.call(`mcp__${alias}__blocks`);
      expect(isErrorOutcome(many) ? many : (many as OkOutcome).content).toEqual(blocks);
      expect(codeOf(await lead.call(`mcp__${alias}__echo`))).toBe("ok");
      expect(await pool.server(alias)).toMatchObject({ connectionId: `${alias}#1`, state: { kind: "connected" } });
    }
    await pool.stop();
  },
  60_000,
);
