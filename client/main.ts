#!/usr/bin/env node
// The program `toolpool`: gives the command line the world it works in, and the world its exit code.
import { join } from "node:path";
import { commandLine } from "./commands/command-line.ts";
import { asFailure } from "./commands/failure.ts";
import { Interrupts } from "./commands/interrupts.ts";
import { tell } from "./commands/tell.ts";
import { Screen } from "./output/screen.ts";

const { stdin, stdout, stderr, env } = process;

// A reader that had enough (`toolpool calls | head`) is no failure.
stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
stderr.on("error", () => undefined);
process.on("uncaughtException", (error) => {
  tell(new Screen({ stdout, stderr, env, json: false }), asFailure(error), env.TOOLPOOL_DEBUG === "1");
  process.exit(1);
});

const interrupts = new Interrupts(() => process.exit(130));
const surroundings = {
  env,
  cwd: process.cwd(),
  stdin,
  stderr,
  signal: interrupts.signal,
  interrupt: interrupts.interrupt,
  atExit: (work: () => void) => {
    process.on("exit", work);
    return () => process.off("exit", work);
  },
  daemonProgram: join(import.meta.dirname, "daemon.js"),
  nodeProgram: process.execPath,
  platform: process.platform,
  uid: process.getuid?.(),
};
process.exitCode = await commandLine(process.argv.slice(2), surroundings, { stdout, stderr }, interrupts);
