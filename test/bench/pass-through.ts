// The least an HTTP gateway can be: Fastify in front of the SDK's client, no checks, no records. The measure for the daemon.
import { fastify } from "fastify";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

interface CallBody {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const [serverFile = "", socketPath = ""] = process.argv.slice(2);
const client = new Client({ name: "pass-through", version: "1.0.0" });
const transport = new StdioClientTransport({ command: process.execPath, args: [serverFile] });
await client.connect(transport);

const listen = async (at: { path: string } | { port: number; host: string }): Promise<string> => {
  const app = fastify();
  app.post<{ Body: CallBody }>("/call", ({ body }) => client.callTool({ name: body.name, arguments: body.arguments }));
  return app.listen(at);
};
await listen({ path: socketPath });
const url = await listen({ port: 0, host: "127.0.0.1" });

process.send?.({ url, serverPid: transport.pid });
process.once("SIGTERM", () => {
  void client.close().then(() => process.exit(0));
});
