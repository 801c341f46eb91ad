// The MCP server that the call measurement calls: one tool, built with the official SDK, that gives back what it got.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "echo", version: "1.0.0" });
server.registerTool(
  "echo",
  {
    description: "Gives back the text it got.",
    inputSchema: {
      text: z.string().max(10_000),
      limit: z.number().int().min(1).max(100).optional(),
      kind: z.enum(["plain", "marked"]).optional(),
    },
  },
  ({ text }) => ({ content: [{ type: "text", text }] }),
);
await server.connect(new StdioServerTransport());
