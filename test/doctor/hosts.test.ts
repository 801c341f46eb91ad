// Other programs that still start what the pool owns: their files as they write them, in a home of their own.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { isSameServer } from "../../client/doctor/same-server.ts";
import { proves } from "../support/promise.ts";
import { clinic, has, lacks } from "./clinic.ts";

proves(
  "DOC-11",
  "the same launch or the same package, in any program: file, line, and its own command where it has one",
  async () => {
    const place = clinic({
      notes: { command: "npx", args: ["-y", "@scope/notes@1.0.0", "/data"], tools: {} },
      local: { command: "/opt/server", args: ["--root", "${DOCTOR_ROOT}"], tools: {} },
      fresh: { command: "npx", args: ["-y", "@scope/fresh@1.0.0"] },
      off: { command: "npx", args: ["-y", "@scope/off@1.0.0"], tools: {}, disabled: true },
    });
    const env = { DOCTOR_ROOT: "/srv/secret-root" };
    lacks((await place.look([], env)).findings, "host_spawns");
    const npx = (name: string): object => ({ command: "npx", args: ["-y", name] });
    const claude = join(place.home, ".claude.json");
    const cursor = join(place.home, ".cursor/mcp.json");
    const codex = join(place.home, ".codex/config.toml");
    const servers = {
      memo: npx("@scope/notes"),
      fresh: npx("@scope/fresh"),
      off: npx("@scope/off"),
      unlike: npx("@scope/unlike"),
    };
    writeFileSync(claude, JSON.stringify({ mcpServers: servers }, null, 2));
    for (const file of [cursor, codex]) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      cursor,
      JSON.stringify({ mcpServers: { here: { command: "/opt/server", args: ["--root", env.DOCTOR_ROOT] } } }, null, 2),
    );
    writeFileSync(codex, '[mcp_servers.notes]\ncommand = "npx"\nargs = ["-y", "@scope/notes@0.9.0"]\n');
    const { findings, code } = await place.look(["--fix"], env);
    expect(code).toBe(1);
    const told = findings.filter(({ id, level }) => id === "host_spawns" && level !== "ok");
    expect(told.map(({ about, command }) => [about, command])).toEqual([
      ["notes", "claude mcp remove memo -s user"],
      ["local", `\${EDITOR:-vi} +3 ${cursor}`],
      ["notes", "codex mcp remove notes"],
    ]);
    has(findings, "host_spawns", { about: "notes", level: "warning", sentence: new RegExp(`"memo" in ${claude}:3`) });
    expect(JSON.stringify(findings)).not.toContain("secret-root");
    // They are theirs: read, never written.
    expect(readFileSync(codex, "utf8")).toContain("@scope/notes@0.9.0");
  },
);

proves("DOC-11", "what is turned off over there, and files that are broken, are nobody's finding", async () => {
  const place = clinic({ notes: { command: "npx", args: ["-y", "@scope/notes@1.0.0"], tools: {} } });
  mkdirSync(join(place.home, ".cursor"));
  writeFileSync(join(place.home, ".cursor/mcp.json"), '{"mcpServers": {"x": ');
  const entry = { command: "npx", args: ["-y", "@scope/notes"], disabled: true };
  mkdirSync(join(place.home, ".codeium/windsurf"), { recursive: true });
  writeFileSync(join(place.home, ".codeium/windsurf/mcp_config.json"), JSON.stringify({ mcpServers: { notes: entry } }));
  const { findings } = await place.look();
  lacks(findings, "host_spawns");
  lacks(findings, "look_failed");
});

proves("DOC-11", "a secret that became a variable at the import does not hide that it is the same server", () => {
  const launch = (...args: readonly string[]): { command: string; args: readonly string[] } => ({ command: "node", args });
  const host = launch("server.js", "--token", "ghp_0123456789abcdefghijABCDEFGHIJ012345");
  expect(isSameServer(launch("server.js", "--token", "what-the-variable-holds"), host)).toBe(true);
  expect(isSameServer(launch("other.js", "--token", "what-the-variable-holds"), host)).toBe(false);
  expect(isSameServer(launch("server.js", "--token"), host)).toBe(false);
  expect(isSameServer(launch("server.js", "--root", "/a"), launch("server.js", "--root", "/b"))).toBe(false);
});
