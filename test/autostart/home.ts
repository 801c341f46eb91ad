// A home folder for a service under test, with stand-ins for the platform's programs first on PATH and a record of what they were
// told. `close()` ends whatever was started there.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Running, TOOLPOOL, Workplace, type Ended } from "../commands/toolpool.ts";
import { fixture } from "../support/pool.ts";

export class Home {
  readonly place: Workplace;
  readonly bin: string;
  readonly unit: string;
  readonly environment: string;
  readonly #standin: string;
  readonly env: Record<string, string>;

  constructor(servers: Readonly<Record<string, unknown>> = {}) {
    this.place = new Workplace(servers);
    const { folder, state, configFile } = this.place;
    this.bin = join(folder, "bin");
    this.#standin = join(folder, "standin");
    mkdirSync(this.bin);
    mkdirSync(this.#standin);
    this.unit = join(folder, ".config/systemd/user/toolpool.service");
    this.environment = join(folder, ".config/toolpool/environment");
    this.env = {
      PATH: `${this.bin}:${process.env.PATH ?? ""}`,
      HOME: folder,
      XDG_CONFIG_HOME: "",
      XDG_RUNTIME_DIR: "",
      TOOLPOOL_STATE: state,
      TOOLPOOL_CONFIG: configFile,
      STANDIN_FOLDER: this.#standin,
      STANDIN_MANNER: "",
      STANDIN_RUNS: JSON.stringify([process.execPath, TOOLPOOL, "up", "--foreground", "--port", "0"]),
    };
    this.program("systemctl", `exec '${process.execPath}' '${fixture("standin-systemctl")}' "$@"`);
  }

  /** A program of this name is found first. */
  program(name: string, script: string): void {
    const file = join(this.bin, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  start(words: readonly string[], more: Readonly<Record<string, string>> = {}): Running {
    const env = { ...this.env, ...more };
    return new Running(
      spawn(process.execPath, [TOOLPOOL, ...words], { env, cwd: this.place.folder, stdio: ["ignore", "pipe", "pipe"] }),
    );
  }

  toolpool(words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.start(words, more).ended;
  }

  /** The commands since the last look, one a line. */
  told(): readonly string[] {
    const file = join(this.#standin, "record");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").trim().split("\n");
    writeFileSync(file, "");
    return lines.filter((line) => line !== "" && line !== "show-environment");
  }

  async close(): Promise<void> {
    await this.place.close();
  }
}
