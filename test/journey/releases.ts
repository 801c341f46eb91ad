// The releases of the real servers, each with its own node_modules below .cache/: from the npm registry, with the exact version,
// what it needs as of one day, and no install scripts. What is there already is not asked for again.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JourneyServer } from "./catalog.ts";

/** A fresh install takes the newest fitting release of whatever a server needs: this is where that ends. */
const AS_OF = "2026-11-30";
const AT_ONCE = 3;

export const releaseFolder = (root: string, { alias }: JourneyServer, release: string): string => join(root, alias, release);

export async function installReleases(
  root: string,
  servers: readonly JourneyServer[],
  say: (line: string) => void,
): Promise<void> {
  const wanted = servers.flatMap((server) =>
    [server.release, ...(server.earlier === undefined ? [] : [server.earlier])]
      .map((release) => ({ server, release, folder: releaseFolder(root, server, release) }))
      .filter(({ folder }) => !existsSync(join(folder, "node_modules", server.package, server.file))),
  );
  const next = async (): Promise<void> => {
    for (let one = wanted.shift(); one !== undefined; one = wanted.shift()) {
      say(`installing ${one.server.package}@${one.release}`);
      await npmInstall(one.folder, `${one.server.package}@${one.release}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

async function npmInstall(folder: string, what: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--ignore-scripts", "--save-exact", "--engine-strict", "--no-audit", "--no-fund", "--before", AS_OF];
  const child = spawn("npm", ["install", ...options, what], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm could not install ${what}: ${said}`);
}
