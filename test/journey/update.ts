// What is installed for a server, and how that changes while its launch stays the same: the next release, or, where no other
// release differs, an update of ours whose program stands before the real one and changes one description.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { JourneyServer } from "./catalog.ts";
import { installedAt, type HostPlaces } from "./hosts.ts";

const RELAY = join(import.meta.dirname, "../../.cache/fixtures/changes-on-the-way.js");

/** `folder` has the node_modules of one release. */
export function install(server: JourneyServer, folder: string, places: HostPlaces): void {
  const at = installedAt(places, server.alias);
  mkdirSync(dirname(at), { recursive: true });
  rmSync(at, { force: true });
  symlinkSync(folder, at);
}

/** Installs the update of ours over the release in `folder`. */
export function installChanged(server: JourneyServer, folder: string, places: HostPlaces): void {
  const changed = join(places.home, "updates", server.alias);
  const packageFolder = join(changed, "node_modules", server.package);
  const program = join(packageFolder, server.file);
  mkdirSync(dirname(program), { recursive: true });
  const words = [server.changes ?? "", join(folder, "node_modules", server.package, server.file)];
  writeFileSync(join(packageFolder, "package.json"), JSON.stringify({ name: server.package, type: "module" }));
  writeFileSync(
    program,
    `#!/usr/bin/env node\nprocess.argv.splice(2, 0, ...${JSON.stringify(words)});\nawait import(${JSON.stringify(pathToFileURL(RELAY).href)});\n`,
  );
  chmodSync(program, 0o755);
  const bin = join(changed, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(relative(bin, program), join(bin, server.program));
  install(server, changed, places);
}
