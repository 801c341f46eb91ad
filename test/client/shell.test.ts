import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "vitest";
import { shellTool, SHELL_LIMITS } from "../../client/tools/shell-tool.ts";
import { Workspace } from "../../client/tools/workspace.ts";
import { alive } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

async function shell(limits = {}) {
  const root = realpathSync(tempFolder());
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: "sk-secret", OTHER: "kept" };
  const tool = shellTool(await Workspace.open(root), env, { ...SHELL_LIMITS, ...limits });
  const run = (command: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<string> => {
    const { signal = new AbortController().signal, ...args } = more;
    return tool.run({ command, ...args }, { signal });
  };
  return { root, run };
}

/** Waits until the file is there and has a whole line. */
async function lineOf(file: string): Promise<string> {
  for (;;) {
    if (existsSync(file)) {
      const content = readFileSync(file, "utf8");
      if (content.endsWith("\n")) return content.trim();
    }
    await turn();
  }
}

proves(
  "LEAD-19",
  "a command runs in the working directory without input and without the model's key, and says how it ended",
  async () => {
    const { root, run } = await shell();
    expect(await run("pwd; cat; echo $OTHER [$OPENAI_API_KEY]")).toBe(`${root}\nkept []\n\n[exit code 0]`);
    expect(await run("echo out; echo err >&2; exit 3")).toMatch(/out\n.*err\n\n\[exit code 3\]|err\n.*out\n\n\[exit code 3\]/s);
    expect(await run("true")).toBe("[no output]\n[exit code 0]");
    expect(await run("kill -9 $$")).toContain("[ended by SIGKILL]");
  },
);

proves("LEAD-19", "output without end is cut in the middle, and the size of the gap is said", async () => {
  const { run } = await shell({ output: 1_000 });
  const said = await run("echo begin; yes x | head -c 3000000; echo end");
  expect(said).toMatch(/^begin\n.*… \[\d+ characters left out\] ….*end\n\n\[exit code 0\]$/s);
  expect(said.length).toBeLessThan(1_200);
});

proves("LEAD-19", "the time limit ends the whole group, also what ignores SIGTERM", async () => {
  const { root, run } = await shell({ graceMs: 50 });
  const command = `trap '' TERM; sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' & echo $$ > leader; while :; do sleep 1; done`;
  await expect(run(command, { timeoutMs: 400 })).rejects.toMatchObject({ code: "timeout" });
  for (const name of ["leader", "child"]) {
    const pid = Number(readFileSync(join(root, name), "utf8"));
    while (alive(pid)) await turn();
  }
});

proves("LEAD-19", "an abort ends it at once, together with what it started", async () => {
  const { root, run } = await shell();
  const controller = new AbortController();
  const running = run("sleep 1000 & echo $! > child; wait", { signal: controller.signal });
  const child = Number(await lineOf(join(root, "child")));
  expect(alive(child)).toBe(true);
  controller.abort(new Error("Ctrl-C"));
  await expect(running).rejects.toThrow("Ctrl-C");
  // The signal is sent; the system takes a moment to end what it is sent to.
  while (alive(child)) await turn();
});

proves("LEAD-19", "what was left in the background ends with the command, and does not hold it up", async () => {
  const { root, run } = await shell();
  expect(await run("sleep 1000 & echo $! > child; echo done")).toBe("done\n\n[exit code 0]");
  const child = Number(await lineOf(join(root, "child")));
  for (let turns = 0; turns < 1_000 && alive(child); turns++) await turn();
  expect(alive(child)).toBe(false);
});
