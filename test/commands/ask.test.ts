// The question at the terminal, with streams that say they are one.
import { PassThrough } from "node:stream";
import { expect } from "vitest";
import { ask } from "../../client/commands/ask.ts";
import { proves } from "../support/promise.ts";

class Terminal extends PassThrough {
  readonly isTTY: boolean;
  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }
}

/** Without a line the input ends. */
async function answer(line: string | undefined, { tty = true } = {}): Promise<{ allowed: boolean; shown: string }> {
  const stdin = new Terminal(tty);
  const stderr = new Terminal(true).setEncoding("utf8");
  const asked = ask({ stdin, stderr, signal: new AbortController().signal, interrupt: () => undefined }, "Allow it?");
  if (line === undefined) stdin.end();
  else stdin.write(`${line}\n`);
  const allowed = await asked;
  const shown: unknown = stderr.read();
  return { allowed, shown: typeof shown === "string" ? shown : "" };
}

proves("CMD-23", "only a clear yes allows; the answer is no where nobody sits", async () => {
  for (const line of ["y", "Yes", " YES "]) expect((await answer(line)).allowed, line).toBe(true);
  for (const line of ["", "n", "yess", "allow", "1"]) expect((await answer(line)).allowed, line).toBe(false);
  expect((await answer("y")).shown).toContain("Allow it? [y/N]");
  expect((await answer(undefined)).allowed).toBe(false);
  expect(await answer("y", { tty: false })).toEqual({ allowed: false, shown: "" });
});

proves("CMD-24", "Ctrl-C at a question interrupts the command; an abort ends the question", async () => {
  const stdin = new Terminal(true);
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new Error("Ctrl-C"));
  const asked = ask({ stdin, stderr: new Terminal(true), signal: controller.signal, interrupt }, "Allow it?");
  stdin.write("\u0003");
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
});
