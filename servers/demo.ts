// A small complete MCP server over stdio, built with the official SDK: it answers `lookup` with its label, and can fail, delay
// and die on request, so that what a pool does about such servers can be seen.
//   node demo.js --label alpha
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const { values } = parseArgs({ options: { label: { type: "string", default: "demo" } } });
const { label } = values;
const server = new McpServer({ name: `demo-${label}`, version: "1.0.0" });

const text = (content: string) => [{ type: "text" as const, text: content }];

server.registerTool(
  "lookup",
  {
    description: `Looks a text up in ${label}.`,
    inputSchema: { query: z.string().describe("What to look up.") },
    outputSchema: { label: z.string(), query: z.string() },
  },
  ({ query }) => {
    const found = { label, query };
    return { content: text(JSON.stringify(found)), structuredContent: found };
  },
);

server.registerTool("fail", { description: "Fails with an error that holds private text." }, () => {
  throw new Error(`PRIVATE-${label}: could not open /home/somebody/secrets/token of user somebody`);
});

server.registerTool(
  "delay",
  {
    description: "Answers after a while.",
    inputSchema: { ms: z.number().int().min(0).max(600_000).describe("How long to wait, in milliseconds.") },
  },
  async ({ ms }, { signal }) => {
    await pause(ms, undefined, { signal });
    return { content: text(`waited ${String(ms)} ms`) };
  },
);

server.registerTool("terminate", { description: "Ends this server's process in the middle of the call." }, () => {
  process.exit(1);
});

// The end of the input is the end of the work (MCP, Lifecycle: shutdown over stdio).
process.stdin.once("end", () => process.exit(0));
await server.connect(new StdioServerTransport());
