// Once before all test files: the programs are bundled into dist/ and the fixture programs into .cache/fixtures/.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export function setup(): void {
  const root = join(import.meta.dirname, "../..");
  execFileSync(process.execPath, ["build.mjs", "--fixtures", "--keep"], { cwd: root, stdio: "inherit" });
}
