// A person's workstation for import: a home with other programs' files in it, a project, and the real `toolpool` run there.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Shown } from "../../client/import/report.ts";
import { Workplace, type Ended } from "../commands/toolpool.ts";

export interface ImportReport {
  readonly file: string;
  readonly dryRun: boolean;
  readonly created: boolean;
  readonly added: readonly string[];
  readonly alreadyThere: readonly string[];
  readonly variables: readonly { readonly name: string; readonly state: string }[];
  readonly servers: readonly Shown[];
  readonly problems: readonly {
    readonly file: string;
    readonly issues: readonly { readonly message: string; readonly line?: number; readonly column?: number }[];
  }[];
}

export class Desk {
  readonly place: Workplace;
  readonly home: string;
  readonly project: string;
  readonly #env: Record<string, string>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    // Nothing of whoever runs the tests is read.
    const elsewhere = { XDG_CONFIG_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "", OPENCODE_CONFIG: "" };
    this.#env = { ...elsewhere, ...env };
    this.place = new Workplace();
    this.home = join(this.place.folder, "home");
    this.project = join(this.place.folder, "project");
    mkdirSync(this.home);
    mkdirSync(join(this.project, ".git"), { recursive: true });
  }

  get env(): Record<string, string> {
    return { ...this.#env, HOME: this.home };
  }

  get config(): string {
    return readFileSync(this.place.configFile, "utf8");
  }

  get servers(): Record<string, Record<string, unknown>> {
    // Comments out, for the tests' own reading.
    const text = this.config.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/,(\s*[}\]])/g, "$1");
    return (JSON.parse(text) as { mcpServers: Record<string, Record<string, unknown>> }).mcpServers;
  }

  /** Below the home, or absolute. Objects become JSON. */
  put(path: string, content: unknown): string {
    const file = path.startsWith("/") ? path : join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    return file;
  }

  inProject(path: string, content: unknown): string {
    return this.put(join(this.project, path), content);
  }

  run(...words: string[]): Promise<Ended> {
    return this.place.toolpool(words, { env: this.env, cwd: this.project });
  }

  import(...words: string[]): Promise<Ended> {
    return this.run("import", ...words);
  }

  async report(...words: string[]): Promise<ImportReport> {
    const { code, stdout, stderr } = await this.import(...words, "--json");
    if (code !== 0) throw new Error(`import ended with ${String(code)}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as ImportReport;
  }

  /** Every file below the folders other programs own, with its bytes, mode and time. */
  fingerprint(): readonly (readonly [string, string, number, number])[] {
    return [this.home, this.project].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((file) => {
          const { mode, mtimeMs } = statSync(file);
          return [file, readFileSync(file, "hex"), mode, mtimeMs] as const;
        }),
    );
  }

  /** A command that would tell if it ever ran. */
  marker(name: string): { readonly command: string; readonly ran: string } {
    const ran = join(this.place.folder, `${name} ran`);
    const command = this.put(join(this.place.folder, "bin", name), `#!/bin/sh\n: > '${ran}'\n`);
    chmodSync(command, 0o755);
    return { command, ran };
  }
}
