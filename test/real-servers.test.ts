// Servers that others wrote and people use, from npm, through a real daemon: everything, filesystem and memory, with the entries of
// config/examples/real-servers.json. Only where their programs lie is made absolute; the policies are the shipped ones.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { afterAll, beforeAll, expect } from "vitest";
import type { JsonObject, Outcome, RegistrySummary } from "../daemon/contract/index.ts";
import { proves } from "./support/promise.ts";
import { alive, codeOf, TestPool, type TestSession } from "./support/pool.ts";
import { tempFolder } from "./support/temp.ts";

const ROOT = join(import.meta.dirname, "..");
const EXAMPLE = join(ROOT, "config/examples/real-servers.json");
const ALIASES = ["everything", "files", "memory"] as const;

const folder = tempFolder();
const files = join(folder, "files");
const graph = join(folder, "graph.jsonl");
let pool: TestPool;
let lead: TestSession;

beforeAll(async () => {
  mkdirSync(files);
  const example = parse(readFileSync(EXAMPLE, "utf8")) as { mcpServers: Record<string, JsonObject> };
  const servers = Object.fromEntries(
    Object.entries(example.mcpServers).map(([alias, entry]) => [alias, { ...entry, command: process.execPath, cwd: ROOT }]),
  );
  pool = await TestPool.start({ folder, servers, env: { FILES_ROOT: files, MEMORY_FILE: graph } });
  lead = await pool.lead(ALIASES);
});

afterAll(() => pool.stop());

/** The parts of an outcome that is `ok`. */
function answer(outcome: Outcome): { readonly content: readonly unknown[]; readonly structured: unknown } {
  if (!("content" in outcome)) throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return { content: outcome.content, structured: outcome.structured_content };
}

const sentTo = async (alias: string): Promise<number> => (await pool.server(alias)).stats.calls;

const graphOf = async (session: TestSession): Promise<unknown> =>
  answer(await session.call("mcp__memory__read_graph")).structured;

const GRAPH = {
  entities: [
    { name: "Toolpool", entityType: "project", observations: ["is written in TypeScript"] },
    { name: "SQLite", entityType: "library", observations: [] },
  ],
  relations: [{ from: "Toolpool", to: "SQLite", relationType: "keeps its journal in" }],
};

proves("REAL-1", "one session has all three, in three processes, with exactly the tools of their policies", async () => {
  const names = (alias: string, ...tools: string[]): string[] => tools.map((tool) => `mcp__${alias}__${tool}`);
  expect(await lead.names()).toEqual([
    "connect_mcp",
    "disconnect_mcp",
    ...names("everything", "echo", "get_annotated_message", "get_resource_links", "get_resource_reference"),
    ...names("everything", "get_structured_content", "get_sum", "get_tiny_image", "gzip_file_as_resource", "long_operation"),
    ...names("files", "create_directory", "directory_tree", "edit_file", "get_file_info", "list_allowed_directories"),
    ...names("files", "list_directory", "list_directory_with_sizes", "move_file", "read_media_file", "read_multiple_files"),
    ...names("files", "read_text_file", "search_files", "write_file"),
    ...names("memory", "add_observations", "create_entities", "create_relations", "delete_observations", "open_nodes"),
    ...names("memory", "read_graph", "search_nodes"),
  ]);
  const states = await Promise.all(ALIASES.map((alias) => pool.server(alias)));
  expect(states.map(({ state }) => state.kind)).toEqual(["connected", "connected", "connected"]);
  expect(new Set(states.map(({ pid }) => pid)).size).toBe(3);
  expect(states.map(({ serverInfo }) => serverInfo?.name)).toEqual([
    "mcp-servers/everything",
    "secure-filesystem-server",
    "memory-server",
  ]);
});

proves("REAL-1", "a hidden tool cannot be called by any of its names", async () => {
  for (const name of [
    "mcp__everything__get_env",
    "mcp__everything__get-env",
    "mcp__files__read_file",
    "mcp__memory__delete_entities",
  ]) {
    expect(codeOf(await lead.call(name))).toBe("unknown_tool/not_in_snapshot");
  }
});

proves("REAL-1", "the effect is the policy's, not the server's, and where the policy asks nothing runs unasked", async () => {
  const { tools } = await lead.snapshot();
  const effects = new Map(tools.map(({ name, effect }) => [name, effect]));
  expect(effects.get("mcp__everything__gzip_file_as_resource")).toBe("external");
  expect(effects.get("mcp__files__write_file")).toBe("write");
  expect(effects.get("mcp__memory__read_graph")).toBe("read");
  expect(JSON.stringify(tools)).not.toContain("readOnlyHint");
  const args = { name: "h.gz", data: "data:text/plain,hi", outputType: "resource" };
  const sent = await sentTo("everything");
  expect(codeOf(await lead.call("mcp__everything__gzip_file_as_resource", args))).toBe("approval_required");
  expect(await sentTo("everything")).toBe(sent);
  const approval = { decision: "allow", by: "test" } as const;
  const { content } = answer(await lead.call("mcp__everything__gzip_file_as_resource", args, { approval }));
  expect(content).toMatchObject([{ type: "resource", resource: { mimeType: "application/gzip" } }]);
});

proves("REAL-2", "structured content comes as it is, and the text that only repeats it is left out", async () => {
  const outcome = await lead.call("mcp__everything__get_structured_content", { location: "New York" });
  expect(outcome).toEqual({
    content: [],
    server_alias: "everything",
    status: "ok",
    structured_content: { conditions: "Cloudy", humidity: 82, temperature: 33 },
    tool: "get-structured-content",
  });
});

proves("REAL-2", "pictures, resources, links and annotations of blocks are untouched", async () => {
  const picture = answer(await lead.call("mcp__everything__get_tiny_image")).content;
  expect(picture).toMatchObject([{ type: "text" }, { type: "image", mimeType: "image/png" }, { type: "text" }]);
  const { data } = picture[1] as { data: string };
  expect(Buffer.from(data, "base64").subarray(1, 4).toString()).toBe("PNG");
  const resource = answer(
    await lead.call("mcp__everything__get_resource_reference", { resourceType: "Blob", resourceId: 2 }),
  ).content;
  expect(resource[1]).toMatchObject({ type: "resource", resource: { uri: "demo://resource/dynamic/blob/2" } });
  const { blob } = (resource[1] as { resource: { blob: string } }).resource;
  expect(Buffer.from(blob, "base64").toString()).toMatch(/^Resource 2: This is a base64 blob/);
  const links = answer(await lead.call("mcp__everything__get_resource_links", { count: 2 })).content;
  expect(links.slice(1)).toMatchObject([
    { type: "resource_link", uri: "demo://resource/dynamic/blob/1" },
    { type: "resource_link", uri: "demo://resource/dynamic/text/2" },
  ]);
  expect(answer(await lead.call("mcp__everything__get_annotated_message", { messageType: "error" })).content).toEqual([
    { type: "text", text: "Error: Operation failed", annotations: { priority: 1, audience: ["user", "assistant"] } },
  ]);
});

proves("REAL-3", "4.5 s with progress, where 3 s of silence would end it, while another tool answers", async () => {
  const running = lead.call("mcp__everything__long_operation", { duration: 4.5, steps: 15 });
  expect(answer(await lead.call("mcp__everything__get_sum", { a: 1.5, b: 2 })).content).toEqual([
    { type: "text", text: "The sum of 1.5 and 2 is 3.5." },
  ]);
  expect(answer(await running).content).toEqual([
    { type: "text", text: "Long running operation completed. Duration: 4.5 seconds, Steps: 15." },
  ]);
});

proves("REAL-4", "a file is written, edited and read back, and is on the disk", async () => {
  const path = join(files, "note.txt");
  await lead.call("mcp__files__write_file", { path, content: "one\ntwo\n" });
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  expect(codeOf(await lead.call("mcp__files__edit_file", { path, edits: [{ oldText: "two", newText: "zwei" }] }))).toBe("ok");
  expect(answer(await lead.call("mcp__files__read_text_file", { path }))).toEqual({
    content: [{ type: "text", text: "one\nzwei\n" }],
    structured: { content: "one\nzwei\n" },
  });
  expect(answer(await lead.call("mcp__files__list_directory", { path: files })).structured).toEqual({
    content: "[FILE] note.txt",
  });
});

proves("REAL-4", "a graph is created, found, and still there after a restart, in a new connection", async () => {
  const { entities, relations } = GRAPH;
  expect(answer(await lead.call("mcp__memory__create_entities", { entities })).structured).toEqual({ entities });
  expect(answer(await lead.call("mcp__memory__create_relations", { relations })).structured).toEqual({ relations });
  expect(await graphOf(lead)).toEqual(GRAPH);
  expect(answer(await lead.call("mcp__memory__open_nodes", { names: ["SQLite"] })).structured).toMatchObject({
    entities: [{ name: "SQLite" }],
  });
  const { version } = await pool.client.request("servers.restart", { alias: "memory" });
  expect(codeOf(await lead.call("mcp__memory__read_graph", {}, { version: version - 2 }))).toMatch(/^unknown_tool\//);
  expect((await pool.server("memory")).connectionId).toBe("memory#2");
  expect(await graphOf(lead)).toEqual(GRAPH);
  expect(existsSync(graph)).toBe(true);
});

proves("REAL-5", "a path outside the folder is refused, and nothing the server wrote is in the outcome", async () => {
  const secret = join(folder, "secret.txt");
  writeFileSync(secret, "private");
  for (const path of [secret, join(files, "../secret.txt"), "/etc/hostname"]) {
    expect(await lead.call("mcp__files__read_text_file", { path })).toEqual({
      error: { code: "mcp_remote_error", message: "MCP server reported a tool error" },
      server_alias: "files",
      status: "error",
      tool: "read_text_file",
    });
  }
  expect((await pool.server("files")).state.kind).toBe("connected");
});

proves("REAL-5", "wrong arguments are answered here, every issue with its place; the server got no call", async () => {
  const before = await Promise.all(ALIASES.map(sentTo));
  const issues = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const outcome = await lead.call(name, args);
    const found = "error" in outcome ? (outcome.error.issues ?? []) : [];
    return [codeOf(outcome), ...found.map(({ pointer }) => pointer).sort()];
  };
  expect(await issues("mcp__everything__get_sum", { a: "2" })).toEqual(["invalid_arguments", "/a", "/b"]);
  expect(await issues("mcp__everything__get_structured_content", { location: "Berlin" })).toEqual([
    "invalid_arguments",
    "/location",
  ]);
  expect(await issues("mcp__files__write_file", { path: 1, content: "x" })).toEqual(["invalid_arguments", "/path"]);
  expect(await issues("mcp__memory__create_entities", { entities: [{ name: "x" }] })).toEqual([
    "invalid_arguments",
    "/entities/0/entityType",
    "/entities/0/observations",
  ]);
  expect(await Promise.all(ALIASES.map(sentTo))).toEqual(before);
  expect(readdirSync(files)).not.toContain("1");
});

proves("REAL-6", "notices at the start change nothing; a disconnected server's process ends, the others live", async () => {
  // `everything` announces its list right after the handshake; all that came since is attaching and the one restart.
  const rows = await pool.versions();
  expect(rows.flatMap(({ changed }) => changed)).toEqual([]);
  expect((await pool.server("everything")).connectionId).toBe("everything#1");
  const pids = await Promise.all(ALIASES.map(async (alias) => (await pool.server(alias)).pid ?? 0));
  expect(pids.map(alive)).toEqual([true, true, true]);
  expect(await lead.disconnect("everything")).toMatchObject({ state: "disconnected", status: "ok" });
  expect((await lead.names()).filter((name) => name.startsWith("mcp__everything__"))).toEqual([]);
  while ((await pool.server("everything")).state.kind !== "idle");
  expect(pids.map(alive)).toEqual([false, true, true]);
  const { servers } = await pool.client.get<RegistrySummary>("/v1/registry");
  expect(servers.map(({ alias }) => alias)).toEqual(["files", "memory"]);
  await pool.stop();
  expect(pids.map(alive)).toEqual([false, false, false]);
});
