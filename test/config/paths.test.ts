// Where things are, from the environment alone.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { configFile, socketPathFor, stateFolder } from "../../config/paths.ts";
import { proves } from "../support/promise.ts";

const LINUX = process.platform === "linux";

proves("CFG-15", "what the environment names is taken, relative to the current folder", () => {
  expect(stateFolder({ TOOLPOOL_STATE: "/srv/state", XDG_STATE_HOME: "/x" })).toBe("/srv/state");
  expect(stateFolder({ TOOLPOOL_STATE: "state/" })).toBe(join(process.cwd(), "state"));
  expect(configFile({ TOOLPOOL_CONFIG: "/srv/pool.json", XDG_CONFIG_HOME: "/x" })).toBe("/srv/pool.json");
  expect(configFile({ TOOLPOOL_CONFIG: "pool.json" })).toBe(join(process.cwd(), "pool.json"));
});

proves("CFG-15", "without it the platform's folders are, and what is empty or relative there counts as not set", () => {
  const env = { HOME: "/home/someone", TOOLPOOL_STATE: "", TOOLPOOL_CONFIG: "" };
  expect(stateFolder(env)).toMatch(LINUX ? /^\/home\/someone\/\.local\/state\/toolpool$/ : /toolpool/);
  expect(configFile(env)).toMatch(LINUX ? /^\/home\/someone\/\.config\/toolpool\/config\.json$/ : /toolpool.*config\.json$/);
  if (!LINUX) return;
  expect(stateFolder({ ...env, XDG_STATE_HOME: "/xdg" })).toBe("/xdg/toolpool");
  expect(configFile({ ...env, XDG_CONFIG_HOME: "/xdg" })).toBe("/xdg/toolpool/config.json");
  expect(stateFolder({ ...env, XDG_STATE_HOME: "xdg" })).toBe("/home/someone/.local/state/toolpool");
  expect(configFile({ ...env, XDG_CONFIG_HOME: "" })).toBe("/home/someone/.config/toolpool/config.json");
});

const folderOf = (bytes: number): string => `/${"s".repeat(bytes - 1)}`;
const NAME = "/toolpool.sock".length;

proves("CFG-16", "103 bytes are a socket's path in the state folder, and one more is not", () => {
  const fits = folderOf(103 - NAME);
  expect(socketPathFor(fits, {})).toBe(`${fits}/toolpool.sock`);
  const over = folderOf(104 - NAME);
  const path = socketPathFor(over, { XDG_RUNTIME_DIR: "/run/user/1" });
  expect(path).toMatch(/^\/run\/user\/1\/toolpool\/[0-9a-f]{16}\.sock$/);
  expect(socketPathFor(`${over}/`, { XDG_RUNTIME_DIR: "/run/user/1" })).toBe(path);
  expect(socketPathFor(`${over}x`, { XDG_RUNTIME_DIR: "/run/user/1" })).not.toBe(path);
});

proves("CFG-16", "bytes are counted, not characters", () => {
  expect(socketPathFor(`/${"é".repeat(60)}`, { XDG_RUNTIME_DIR: "/run/user/1" })).toMatch(/^\/run\/user\/1\/toolpool\//);
});

proves(
  "CFG-16",
  "without a runtime folder, or with one that is relative or too long, it is a folder of this user's below the temporary one",
  () => {
    const over = folderOf(200);
    const own = `toolpool-${String(process.getuid?.() ?? "user")}`;
    for (const runtime of [{}, { XDG_RUNTIME_DIR: "run" }, { XDG_RUNTIME_DIR: folderOf(100) }]) {
      const path = socketPathFor(over, { TMPDIR: "/tmp", ...runtime });
      expect(path).toMatch(new RegExp(`^/tmp/${own}/[0-9a-f]{16}\\.sock$`));
    }
    expect(socketPathFor(over, {}).startsWith(join(tmpdir(), own))).toBe(true);
    expect(socketPathFor(over, { TMPDIR: folderOf(100) })).toMatch(new RegExp(`^/tmp/${own}/`));
  },
);
