// The folder an agent may work in: the root of a Git repository, so that whatever it does can be seen and undone.
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { usage, type Failure } from "./failure.ts";

/** The absolute path, links resolved. Throws a usage failure. */
export function workingDirectory(cwd: string, given: string | undefined): string {
  const asked = resolve(cwd, given ?? ".");
  const facts = statSync(asked, { throwIfNoEntry: false });
  if (facts?.isDirectory() !== true) throw usage(`There is no folder ${asked}`, "Name another one: --cwd DIR");
  const folder = realpathSync(asked);
  if (!isRepositoryRoot(folder)) throw noRepository(folder);
  return folder;
}

/** A folder `.git` with a HEAD; or a file that points to one, as in worktrees and submodules (gitrepository-layout(5)). */
function isRepositoryRoot(folder: string): boolean {
  const git = join(folder, ".git");
  const facts = lstatSync(git, { throwIfNoEntry: false });
  if (facts === undefined) return false;
  if (facts.isFile()) return readFileSync(git, "utf8").startsWith("gitdir:");
  return statSync(join(git, "HEAD"), { throwIfNoEntry: false }) !== undefined;
}

function noRepository(folder: string): Failure {
  const next = "Run it where the .git folder is, name that folder with --cwd DIR, or make one: git init";
  return usage(`${folder} is not the root of a Git repository`, next);
}
