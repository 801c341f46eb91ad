// The same tool as echo-server.ts without the SDK: what is left of the cost is the gateway's. For `npm run bench -- call --raw`.
import { createInterface } from "node:readline";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly text?: string }; readonly protocolVersion?: string };
}

const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

const results: Readonly<Record<string, (request: Request) => unknown>> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "raw", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [{ name: "echo", description: "Gives back the text it got.", inputSchema }] }),
  "tools/call": ({ params }) => ({ content: [{ type: "text", text: params?.arguments?.text }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line) as Request;
  const result = results[request.method]?.(request);
  if (request.id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result })}\n`);
});
