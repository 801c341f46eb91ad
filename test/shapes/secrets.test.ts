// Secrets in every place a configuration or a server has for them, and a failure in every phase: nothing of them is in what the
// daemon says or writes. The real program, the real daemon.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { Workplace } from "../commands/toolpool.ts";
import { proves } from "../support/promise.ts";
import { codeOf, scripted } from "../support/pool.ts";
import type { PoolClient } from "../../client/pool-client.ts";
import type { Outcome } from "../../daemon/contract/index.ts";

/** Two halves that are unique each, so that a part of a secret is found as well, and characters that encodings change. */
const halves = (where: string): readonly [string, string] => [`lefT${where}9f3a`, `righT${where}77b1`];
const canary = (where: string): string => halves(where).join("&/ +");

const PLACES = [
  ...["arg", "env", "variable", "command", "cwd", "stderr", "stdout", "greeting", "schema", "reference", "toolError"],
  ...["protocolError", "dying", "pieces", "long", "structured", "argument", "name", "invalid", "file", "script"],
];

/** Every form in which a reader of the text could get at a part of the secret. */
function formsOf(where: string): readonly string[] {
  const whole = canary(where);
  const encoded = [0, 1, 2].map((shift) => {
    // Base64 of a text depends on where in the stream it begins: what is sure to be the same is its middle.
    const text = Buffer.from(`${"x".repeat(shift)}${whole}`).toString("base64");
    return text.slice(4, -4);
  });
  return [...halves(where), ...encoded, ...encoded.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}

const encodings = (where: string): string => {
  const text = canary(where);
  return `${text} ${Buffer.from(text).toString("base64")} ${encodeURIComponent(text)}`;
};

function configuration(): Record<string, unknown> {
  const node = process.execPath;
  const echo = { name: "echo" };
  const said = (where: string): object => ({ toolError: encodings(where) });
  return {
    alpha: scripted(
      {
        stderr: encodings("stderr"),
        stdout: `${encodings("stdout")}\n`,
        tools: [
          {
            ...echo,
            inputSchema: { type: "object", properties: { n: { type: "integer", enum: [1] } }, additionalProperties: false },
          },
          { name: "fails", does: said("toolError") },
          {
            name: "refuses",
            does: { error: { code: -32000, message: encodings("protocolError"), data: canary("protocolError") } },
          },
          {
            name: "lies",
            outputSchema: { type: "object", required: ["a"] },
            does: { reply: { structuredContent: { b: canary("structured") } } },
          },
          {
            name: "long",
            does: [{ raw: `{"jsonrpc":"2.0","id":$ID,"result":{"x":"${canary("long")}$PAD(200000)"}}\n` }, { never: true }],
          },
          {
            name: "pieces",
            does: [
              { raw: halves("pieces")[0] },
              { stderr: halves("pieces")[0] },
              { sleepMs: 20 },
              { raw: `${halves("pieces")[1]}\n` },
              { stderr: halves("pieces")[1] },
            ],
          },
          { name: "dies", does: [{ stderr: encodings("dying") }, { exit: 1 }] },
        ] as never,
      },
      { env: { SECRET: canary("env"), FROM: "${CANARY_VARIABLE}" }, maxMessageBytes: 100_000 },
    ),
    no_command: { command: `/nowhere/${canary("command")}`, args: [canary("arg")], tools: {} },
    no_name: { command: canary("command"), env: { PATH: `/nowhere/${canary("command")}` }, tools: {} },
    no_folder: { command: node, cwd: `/nowhere/${canary("cwd")}`, tools: {} },
    exits: { command: node, args: ["-e", `console.error(${JSON.stringify(encodings("script"))}); process.exit(1)`], tools: {} },
    greets: scripted({ tools: [echo], protocolVersion: canary("greeting"), name: canary("greeting") }),
    refuses: scripted({ tools: [echo], initialize: "error" }),
    no_list: scripted({ tools: [echo], list: "error" }),
    schema: scripted({
      tools: [
        {
          name: "a",
          inputSchema: { type: "object", properties: { x: { enum: canary("schema"), pattern: 5, const: canary("schema") } } },
        },
        {
          name: "b",
          inputSchema: {
            type: "object",
            properties: { x: { $ref: `https://user:${encodeURIComponent(canary("reference"))}@example.org/` } },
          },
        },
      ],
    }),
    invalid: {
      command: canary("invalid"),
      args: [canary("invalid"), 5],
      env: { A: canary("invalid"), B: 5 },
      comand: canary("invalid"),
      tools: {},
    },
    unset: { command: node, args: [`${canary("invalid")}\${NO_SUCH_VARIABLE}`], tools: {} },
  };
}

/** Calls that fail in each way. Returns what a caller was told. */
async function failEverywhere(client: PoolClient): Promise<readonly Outcome[]> {
  const aliases = Object.keys(configuration());
  const { sessionId } = await client.request("session.open", { attach: aliases });
  const { version } = await client.request("session.heartbeat", { sessionId });
  const call = async (name: string, args: object = {}): Promise<Outcome> =>
    (await client.callTool({ sessionId, version, name, argumentsText: JSON.stringify(args) })).outcome;
  const outcomes = [
    await call("mcp__alpha__echo", { n: canary("argument"), [canary("name")]: 1 }),
    await call("mcp__alpha__fails"),
    await call("mcp__alpha__refuses"),
    await call("mcp__alpha__lies"),
    await call("mcp__alpha__long"),
    await call("mcp__alpha__pieces"),
    await call("mcp__alpha__dies"),
  ];
  expect(outcomes.map(codeOf)).toEqual([
    "invalid_arguments",
    "mcp_remote_error",
    "mcp_remote_error",
    "result_invalid",
    "result_too_large",
    "ok",
    "mcp_connection_lost",
  ]);
  for (const alias of aliases.slice(1)) outcomes.push(await call("connect_mcp", { alias }));
  return outcomes;
}

proves(
  "SHAPE-22",
  "canaries in every place, a failure in every phase: REST, commands, log, journal and state hold none, in no form, not in part",
  async () => {
    const place = new Workplace(configuration(), { CANARY_VARIABLE: canary("variable") });
    try {
      await place.up();
      const shown: string[] = await place.withClient(async (client) => {
        const outcomes = await failEverywhere(client);
        writeFileSync(place.configFile, `{"mcpServers": {"x": {"command": "${canary("file")}", }, "y": ${canary("file")}`);
        const reloaded = await client.request("config.reload", {});
        expect(reloaded.errors.length).toBeGreaterThan(0);
        const paths = ["/v1/servers", "/v1/calls", "/v1/sessions", "/v1/registry", "/v1/registry/versions", "/metrics"];
        const texts = await Promise.all(paths.map((path) => client.getText(path)));
        // The caller is told by pointer which of its own properties are wrong: that is its own name, and goes to nobody else.
        const told = JSON.stringify(outcomes, (key, value: unknown) => (key === "pointer" ? undefined : value));
        return [...texts, JSON.stringify(reloaded), told];
      });
      for (const words of [
        ["status"],
        ["servers"],
        ["versions"],
        ["calls"],
        ["logs"],
        ["check"],
        ["connect", "exits"],
        ["connect", "nobody"],
      ]) {
        for (const json of [[], ["--json"]]) {
          const { stdout, stderr } = await place.toolpool([...words, ...json]);
          shown.push(stdout, stderr);
        }
      }
      expect(shown.join("").length).toBeGreaterThan(5_000);
      await place.close();
      const files = readdirSync(place.state).map((name) => readFileSync(join(place.state, name), "latin1"));
      const everything = [...shown, ...files].join("\n");
      // Names and codes are there: it was not silence.
      for (const known of ["no_command", "spawn_failed", "config_invalid"]) {
        expect(everything).toContain(known);
      }
      const found = PLACES.flatMap((where) =>
        formsOf(where)
          .filter((form) => everything.includes(form))
          .map((form) => ({
            where,
            around: everything.slice(Math.max(0, everything.indexOf(form) - 200), everything.indexOf(form) + 40),
          })),
      );
      expect(found).toEqual([]);
      expect(everything).not.toContain("private words");
    } finally {
      await place.close();
    }
  },
  120_000,
);
