// Node.js and the installation of this program.
import semver from "semver";
import type { Facts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { shellWord } from "./shell-word.ts";

export function checkProgram(facts: Facts, env: NodeJS.ProcessEnv): readonly Finding[] {
  const program = seen(facts.program);
  if (program === undefined) return [];
  const { version, node, wanted, folder, native } = program;
  const findings: Finding[] = [];
  if (semver.satisfies(node, wanted, { includePrerelease: true })) {
    findings.push(ok("node_version", "Node.js", `Node.js ${node} runs toolpool ${version}`));
  } else {
    findings.push({
      id: "node_version",
      level: "error",
      about: "Node.js",
      sentence: `Node.js ${node} is not one that toolpool runs on: it needs ${wanted}`,
      command: installNode(env),
    });
  }
  if (native !== undefined) {
    findings.push({
      id: "native_module",
      level: "error",
      about: "better-sqlite3",
      sentence: `The database's native part does not load in Node.js ${node} (${native}), so no daemon can start`,
      command: `cd ${shellWord(folder)} && npm rebuild better-sqlite3`,
    });
  } else findings.push(ok("native_module", "better-sqlite3", "The database's native part loads"));
  return findings;
}

/** With the version tool that this shell has. */
function installNode(env: NodeJS.ProcessEnv): string {
  if (env.VOLTA_HOME !== undefined) return "volta install node@24";
  if (env.FNM_DIR !== undefined || env.FNM_MULTISHELL_PATH !== undefined) return "fnm install 24 && fnm use 24";
  if (env.MISE_SHELL !== undefined) return "mise use --global node@24";
  if (env.ASDF_DIR !== undefined) return "asdf install nodejs latest:24 && asdf set --home nodejs latest:24";
  if (env.HOMEBREW_PREFIX !== undefined) return "brew install node@24";
  return "nvm install 24";
}
