// An MCP server that publishes as many tools as it is told to, with schemas of ordinary size that all differ.
// Usage: tools-server.js <count>
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const count = Number(process.argv[2]);
const tools = Array.from({ length: count }, (_, i) => ({
  name: `tool_${String(i)}`,
  description: `Looks item ${String(i)} up and gives back what is known of it, newest first. Use it when the number is known.`,
  inputSchema: {
    type: "object" as const,
    properties: {
      query: { type: "string", description: `What to look for in part ${String(i)}`, minLength: 1, maxLength: 500 },
      limit: { type: "integer", description: "Most entries to give back", minimum: 1, maximum: 100 },
      order: { enum: ["newest", "oldest", "best"], description: "How to sort" },
      filter: {
        type: "object",
        properties: { after: { type: "string", format: "date-time" }, tags: { type: "array", items: { type: "string" } } },
        additionalProperties: false,
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
}));

// Thousands of JSON Schemas as they are, without a validator each: what the SDK keeps its lower class for.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const server = new Server({ name: "tools", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: "text" as const, text: params.name }] }));
await server.connect(new StdioServerTransport());
