// A person's machine for one journey: a home folder of its own, a project, the real program in between, and every process that was
// started with that home. Linux only where processes are looked at (it reads /proc).
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { HostPlaces } from "./hosts.ts";

export const TOOLPOOL = join(import.meta.dirname, "../../dist/toolpool.js");

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

const GONE_MS = 15_000;
const LOOK_MS = 20;
const COMMENTS = ["My pool: this line was written by a person.", "Nobody needs more."] as const;

export class Place implements HostPlaces {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "tp-j")));
  readonly home = join(this.#folder, "home");
  readonly project = join(this.home, "work/app");
  readonly configFile = join(this.home, ".config/toolpool/config.json");
  readonly #lockFile = join(this.home, ".config/toolpool/toolpool.lock.json");
  readonly env: Record<string, string>;

  constructor() {
    mkdirSync(this.project, { recursive: true });
    mkdirSync(dirname(this.configFile), { recursive: true });
    writeFileSync(
      this.configFile,
      `{\n  // ${COMMENTS[0]}\n  "mcpServers": {},\n  "limits": {\n    "sessions": 50 // ${COMMENTS[1]}\n  }\n}\n`,
    );
    writeFileSync(join(this.project, "README.md"), "# An app\n");
    const page = '<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/></root></mxGraphModel>';
    writeFileSync(join(this.project, "plan.drawio"), `<mxfile><diagram id="p1" name="Plan">${page}</diagram></mxfile>\n`);
    this.env = {
      PATH: process.env.PATH ?? "",
      HOME: this.home,
      LANG: "C.UTF-8",
      MEMORY_FILE: join(this.home, "memory.jsonl"),
    };
    const git = (...words: string[]): void =>
      void execFileSync("git", words, { cwd: this.project, env: this.env, stdio: "ignore" });
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=A Person", "-c", "user.email=person@example.org", "commit", "-q", "-m", "Begin");
  }

  async toolpool(...words: readonly string[]): Promise<Said> {
    const begun = performance.now();
    const child = spawn(process.execPath, [TOOLPOOL, ...words], { env: this.env, cwd: this.project });
    child.stdin.end();
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, stdout, stderr, ms: Math.round(performance.now() - begun) };
  }

  /** Paths as the person would say them. */
  told(text: string): string {
    return text.replaceAll(this.home, "~");
  }

  get config(): string {
    return readFileSync(this.configFile, "utf8");
  }

  get lock(): string {
    return existsSync(this.#lockFile) ? readFileSync(this.#lockFile, "utf8") : "";
  }

  /** The person's comments that are no longer in the configuration. */
  lostComments(): readonly string[] {
    const text = this.config;
    return COMMENTS.filter((comment) => !text.includes(comment));
  }

  /** Processes with this home, but for `without`. */
  processes(without: readonly number[] = []): ReadonlySet<number> {
    const found = new Set<number>();
    if (process.platform !== "linux") return found;
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid || without.includes(pid)) continue;
      try {
        if (readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(`HOME=${this.home}`)) found.add(pid);
      } catch {
        // It ended while we looked, or is a zombie, or somebody else's.
      }
    }
    return found;
  }

  /** Whether the processes came to be so in time: a refusal is answered before the last of them is gone. */
  async until(holds: (now: ReadonlySet<number>) => boolean, without: readonly number[] = []): Promise<boolean> {
    if (process.platform !== "linux") return true;
    const end = performance.now() + GONE_MS;
    while (performance.now() < end) {
      if (holds(this.processes(without))) return true;
      await setTimeout(LOOK_MS);
    }
    return false;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
