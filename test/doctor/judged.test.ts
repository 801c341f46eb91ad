// What a test cannot do to a machine: an old Node.js, a full disk, folders of another user. The checks judge facts; here they are
// given them.
import { expect } from "vitest";
import { runChecks } from "../../client/doctor/checks.ts";
import type { Facts, FileFacts, ProgramFacts, StateFacts } from "../../client/doctor/facts.ts";
import { look } from "../../client/doctor/look.ts";
import { redact } from "../../client/doctor/redact.ts";
import { proves } from "../support/promise.ts";
import { has, lacks } from "./clinic.ts";

const unseen: { readonly kind: "unseen"; readonly why: string } = { kind: "unseen", why: "not looked at" };
const NOTHING: Facts = {
  program: unseen,
  state: unseen,
  daemon: unseen,
  configuration: unseen,
  commands: unseen,
  processes: unseen,
  hosts: unseen,
  autostart: unseen,
  pid: 1,
};

const folder: FileFacts = { path: "/s", kind: "folder", mode: 0o700, uid: 1000, bytes: 0, inode: 1, modifiedMs: 0 };
const STATE: StateFacts = {
  folder: "/s",
  found: folder,
  writable: true,
  files: [],
  socketPath: "/s/toolpool.sock",
  socket: undefined,
  socketDead: false,
  free: 10 * 1024 ** 3,
  journalHead: undefined,
  token: "absent",
  discovery: undefined,
  lock: { kind: "free" },
  uid: 1000,
  settings: {},
};
const PROGRAM: ProgramFacts = { version: "1.0.0", node: "24.1.0", wanted: ">=20.19", folder: "/p", native: undefined };

const given = (facts: Partial<Facts>, env: NodeJS.ProcessEnv = {}): ReturnType<typeof runChecks> =>
  runChecks({ ...NOTHING, ...facts }, env, 0);
const state = (more: Partial<StateFacts>): ReturnType<typeof runChecks> =>
  given({ state: { kind: "seen", value: { ...STATE, ...more } } });
const program = (more: Partial<ProgramFacts>, env?: NodeJS.ProcessEnv): ReturnType<typeof runChecks> =>
  given({ program: { kind: "seen", value: { ...PROGRAM, ...more } } }, env);

proves(
  "DOC-2",
  "an old Node.js is an error with a command for the version tool that is there; prereleases of a good one are good",
  () => {
    lacks(program({}), "node_version");
    lacks(program({ node: "25.0.0-nightly" }), "node_version");
    has(program({ node: "18.20.4" }), "node_version", {
      level: "error",
      sentence: /18\.20\.4 .*>=20\.19/,
      command: "nvm install 24",
    });
    for (const [name, command] of [
      ["VOLTA_HOME", "volta install"],
      ["FNM_DIR", "fnm install"],
      ["MISE_SHELL", "mise use"],
      ["ASDF_DIR", "asdf install"],
      ["HOMEBREW_PREFIX", "brew install"],
    ])
      has(program({ node: "18.0.0" }, { [name ?? ""]: "/x" }), "node_version", { command: command ?? "" });
  },
);

proves("DOC-3", "a folder of another user, files of another user, nothing to write in, and how full the disk is", () => {
  for (const id of ["state_folder", "state_owner", "disk_space"] as const) lacks(state({}), id);
  has(state({ found: { ...folder, uid: 0 } }), "state_folder", { level: "error", command: /^sudo chown -R/ });
  has(state({ writable: false }), "state_folder", { command: "chmod u+rwx /s" });
  has(state({ writable: false, found: undefined }), "state_folder", { command: /^export TOOLPOOL_STATE=/ });
  const foreign: FileFacts = { ...folder, path: "/s/pool.db", kind: "file", mode: 0o600, uid: 0 };
  has(state({ files: [foreign] }), "state_owner", { level: "error", sentence: /pool\.db/, command: /^sudo chown -R/ });
  has(state({ free: 100 * 1024 ** 2 }), "disk_space", { level: "warning", sentence: /100 MiB/ });
  has(state({ free: 0 }), "disk_space", { level: "error" });
  lacks(state({ free: undefined }), "disk_space");
  has(state({ socketPath: `/${"s".repeat(200)}` }), "socket_path", { level: "error" });
  has(state({ token: "unread" }), "token", { level: "error" });
});

const running = {
  kind: "running",
  hello: { poolId: "p", program: { name: "toolpool", version: "1.0.0" }, contractVersion: 1, pid: 5, startedAt: "", version: 1 },
  discovery: undefined,
  servers: [],
  path: undefined,
  replaced: false,
} as const;

proves("DOC-9", "a daemon whose Node.js was replaced under it", () => {
  const daemon = (replaced: boolean): ReturnType<typeof runChecks> =>
    given({ daemon: { kind: "seen", value: { ...running, replaced } } });
  has(daemon(true), "daemon_replaced", { level: "warning", command: "toolpool down && toolpool up" });
  lacks(daemon(false), "daemon_replaced");
});

proves("DOC-5", "servers that the daemon does not know yet, and those it still has", () => {
  const configuration = (aliases: readonly string[]): Partial<Facts> => ({
    daemon: { kind: "seen", value: { ...running, servers: [] } },
    configuration: {
      kind: "seen",
      value: {
        file: "/c.json",
        check: { kind: "checked", file: "/c.json", servers: [] },
        loaded: {
          kind: "ok",
          config: {
            file: "/c.json",
            servers: new Map(aliases.map((alias) => [alias, { kind: "invalid", alias, type: "stdio", issues: [] }])),
            limits: { sessions: 1, drainMs: 1, versionsInMemory: 1 },
          },
        },
        entries: new Map(),
        lines: new Map(),
        lockFile: "/toolpool.lock.json",
        lock: { kind: "ok", lock: new Map() },
        unset: new Map(),
        unsetPlaces: new Set(),
        files: [],
        editLock: undefined,
        drafts: [],
      },
    },
  });
  has(given(configuration(["fresh"])), "config_not_loaded", { sentence: /does not know fresh/, command: "toolpool reload" });
  lacks(given(configuration([])), "config_not_loaded");
});

proves(
  "DOC-15",
  "a look that never ends is over in its time; one that fails says with which code; the others go on",
  async () => {
    const never = new AbortController();
    const late = await look(20, never.signal, () => new Promise<number>(() => undefined));
    expect(late).toEqual({ kind: "unseen", why: "no answer within 0.02 s" });
    const failed = await look(1_000, never.signal, () =>
      Promise.reject(Object.assign(new Error("secret words"), { code: "EIO" })),
    );
    expect(failed).toEqual({ kind: "unseen", why: "EIO" });
    const why = (one: typeof late): typeof unseen => ({ kind: "unseen", why: one.kind === "unseen" ? one.why : "" });
    const findings = given({ state: why(late), daemon: why(failed), program: { kind: "seen", value: PROGRAM } });
    has(findings, "look_failed", { about: "state", level: "warning", sentence: /no answer within/ });
    has(findings, "look_failed", { about: "daemon", sentence: /EIO$/ });
    lacks(findings, "look_failed", "program");
    expect(findings.find(({ id }) => id === "node_version")?.level).toBe("ok");
    never.abort(new Error("Ctrl-C"));
    await expect(look(1_000, never.signal, () => new Promise<number>(() => undefined))).rejects.toThrow();
  },
);

proves("DOC-13", "known secrets are taken out of foreign words: plain, encoded, the longer first; short words stay", () => {
  const secret = "p4ss/w0rd+x&y";
  const forms = [secret, encodeURIComponent(secret), Buffer.from(`user:${secret}`).toString("base64")];
  for (const form of forms) {
    const shown = redact(`before ${form} after`, [secret, "p4ss/w", "read"]);
    expect(shown).toMatch(/^before .*…\S* after$/);
    expect(shown).not.toContain("w0rd");
  }
  expect(redact("read the table", ["read"])).toBe("read the table");
});
