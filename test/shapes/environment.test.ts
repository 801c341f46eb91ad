// How a configured command becomes a running program: PATH, shims, arguments, variables, folders. The whole daemon.
import { chmodSync, mkdirSync, realpathSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { OkOutcome } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";
import { codeOf, fixture, TestPool, type TestSession } from "../support/pool.ts";
import { tempFolder } from "../support/temp.ts";

interface Self {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly args: readonly string[];
}

const shows = (more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  command: process.execPath,
  args: [fixture("shows-itself")],
  tools: { self: "read" },
  ...more,
});

async function self(lead: TestSession, alias: string): Promise<Self> {
  const outcome = await lead.call(`mcp__${alias}__self`);
  if (codeOf(outcome) !== "ok") throw new Error(JSON.stringify(outcome));
  return (outcome as OkOutcome).structured_content as unknown as Self;
}

proves(
  "SHAPE-4",
  "the child's environment is the documented list and the server's own, whatever the daemon's holds",
  async () => {
    const daemons = { OPENAI_API_KEY: "a-key", AWS_SECRET_ACCESS_KEY: "a-secret", NODE_OPTIONS: "", TERM: "() { :; }" };
    const pool = await TestPool.start({
      env: { ...daemons, HOLDS: "${OTHER}", OTHER: "never", PLAIN: "plain" },
      servers: {
        bare: shows(),
        own: shows({ env: { OWN: "${PLAIN}", LITERAL: "${HOLDS}", PRESET: "${UNSET_HERE:-x y}", HOME: "/elsewhere" } }),
      },
    });
    const lead = await pool.lead(["bare", "own"]);
    const inherited = Object.fromEntries(
      ["HOME", "LOGNAME", "PATH", "SHELL", "USER"].flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    expect((await self(lead, "bare")).env).toEqual(inherited);
    // What a variable holds is not expanded again.
    expect((await self(lead, "own")).env).toEqual({
      ...inherited,
      OWN: "plain",
      LITERAL: "${OTHER}",
      PRESET: "x y",
      HOME: "/elsewhere",
    });
    await pool.stop();
  },
);

const ODD = ["a b", "$HOME", "`id`", '"quoted"', "it's", "a&b|c;d", "*", "", "~", "%PATH%", "$(id)", "\\", "\n"];

proves("SHAPE-4", "arguments arrive as they are written; variables only by their one grammar", async () => {
  const pool = await TestPool.start({
    env: { HOLDS: "${OTHER} and $OTHER" },
    servers: { alpha: shows({ args: [fixture("shows-itself"), ...ODD, "${HOLDS}", "${UNSET_HERE:-}", "${UNSET_HERE:-a:-b}"] }) },
  });
  const lead = await pool.lead(["alpha"]);
  expect((await self(lead, "alpha")).args).toEqual([...ODD, "${OTHER} and $OTHER", "", "a:-b"]);
  await pool.stop();
});

proves("SHAPE-4", "a shim in a folder with spaces, & and quotes, found on a PATH that holds nothing else", async () => {
  const folder = realpathSync(tempFolder());
  const odd = join(folder, `my & "odd" folder's`);
  mkdirSync(odd);
  const shim = join(odd, "my server&co");
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${fixture("shows-itself")}' "$@"\n`);
  chmodSync(shim, 0o755);
  const pool = await TestPool.start({
    servers: {
      by_name: shows({ command: "my server&co", args: ODD, env: { PATH: odd }, cwd: odd }),
      by_path: shows({ command: "${WHERE}/my server&co", args: ODD, cwd: odd }),
    },
    env: { WHERE: odd },
  });
  const lead = await pool.lead(["by_name", "by_path"]);
  for (const alias of ["by_name", "by_path"]) expect(await self(lead, alias)).toMatchObject({ args: ODD, cwd: odd });
  expect((await self(lead, "by_name")).env.PATH).toBe(odd);
  await pool.stop();
});

proves("SHAPE-4", "what cannot be found, entered or expanded is each told by its own reason, and the rest works", async () => {
  const gone = join(tempFolder(), "gone");
  mkdirSync(gone);
  const pool = await TestPool.start({
    servers: {
      empty_path: shows({ command: "node", env: { PATH: "" } }),
      elsewhere: shows({ command: "node", env: { PATH: "/nowhere" } }),
      unset: shows({ command: "${NO_SUCH_VARIABLE}" }),
      unset_env: shows({ env: { A: "${NO_SUCH_VARIABLE}" } }),
      dollar: shows({ command: "$NO_SUCH_VARIABLE" }),
      home: shows({ command: "~/bin/server" }),
      deleted: shows({ cwd: gone }),
      fine: shows(),
    },
  });
  rmdirSync(gone);
  const lead = await pool.lead(["fine"]);
  const told = async (alias: string): Promise<readonly [string, unknown]> => {
    const code = codeOf(await lead.connect(alias));
    const { details } = (await pool.server(alias)).lastFailure ?? {};
    return [code, (details as { reason?: string } | undefined)?.reason];
  };
  expect(await told("empty_path")).toEqual(["connect_failed/spawn_failed", "not_found"]);
  expect(await told("elsewhere")).toEqual(["connect_failed/spawn_failed", "not_found"]);
  expect(await told("dollar")).toEqual(["connect_failed/spawn_failed", "not_found"]);
  expect(await told("home")).toEqual(["connect_failed/spawn_failed", "not_found"]);
  expect(await told("deleted")).toEqual(["connect_failed/spawn_failed", "cwd_missing"]);
  for (const alias of ["unset", "unset_env"]) {
    // It cannot even be asked for: the model is offered the aliases that are valid.
    expect(codeOf(await lead.connect(alias))).toBe("invalid_arguments");
    expect((await pool.server(alias)).state).toMatchObject({ kind: "failed", failure: { code: "config_invalid" } });
    expect(JSON.stringify(await pool.server(alias))).toContain("NO_SUCH_VARIABLE");
  }
  // What was searched is shown where it is no value of the configuration's.
  expect(JSON.stringify(await pool.server("elsewhere"))).not.toContain("/nowhere");
  expect(JSON.stringify((await pool.server("dollar")).lastFailure)).toContain(String(process.env.PATH).split(":")[0]);
  expect((await self(lead, "fine")).args).toEqual([]);
  await pool.stop();
});
