// This installation: which Node.js runs it, which one it wants, and whether the database's native part loads. That is tried in a
// child process, because a part that was built for another Node.js may end the process that loads it.
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { NODE_RANGE, PROGRAM } from "../../config/program.ts";
import type { Run } from "../commands/surroundings.ts";
import type { ProgramFacts } from "./facts.ts";

const TRY = `
let native;
try { new (require("node:module").createRequire(process.argv[1])("better-sqlite3"))(":memory:").close(); }
catch (error) { native = String(error.code ?? "not_loaded"); }
process.stdout.write(JSON.stringify({ node: process.versions.node, native }));`;

export async function readProgram({ nodeProgram, daemonProgram, env }: Run, signal: AbortSignal): Promise<ProgramFacts> {
  const base = { version: PROGRAM.version, wanted: NODE_RANGE, folder: dirname(dirname(daemonProgram)) };
  const args = ["--input-type=commonjs", "-e", TRY, daemonProgram];
  const told = await new Promise<string>((resolve) => {
    // NODE_OPTIONS of the shell could load anything into it.
    const child = execFile(nodeProgram, args, { signal, env: { ...env, NODE_OPTIONS: "" }, cwd: "/" }, (error, stdout) =>
      resolve(error === null ? stdout : ""),
    );
    child.stdin?.end();
  });
  const answer: unknown = told === "" ? undefined : JSON.parse(told);
  if (typeof answer !== "object" || answer === null || !("node" in answer)) {
    return { ...base, node: process.versions.node, native: "crashed" };
  }
  const native = "native" in answer ? String(answer.native) : undefined;
  return { ...base, node: String(answer.node), native };
}
