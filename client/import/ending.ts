// How an import ends: what was added, what is there already, which variables have to be set and where, and what to do next. For
// people as text, for programs as one JSON value; secrets are in neither.
import { dirname, join } from "node:path";
import { configFile } from "../../config/paths.ts";
import type { Run } from "../commands/surroundings.ts";
import { configDiff } from "../output/config-diff.ts";
import { visible } from "../output/visible.ts";
import type { Stored } from "./add-entries.ts";
import type { FileProblem } from "./found.ts";
import { sayTable, short, type Shown } from "./report.ts";
import type { KeptSecret } from "./secret-variables.ts";

export interface EndingParts {
  /** Our configuration. */
  readonly file: string;
  readonly shown: readonly Shown[];
  readonly problems: readonly FileProblem[];
  readonly dryRun: boolean;
  readonly home: string;
}

interface NeededVariable {
  readonly name: string;
  /** `different`: it holds something else than the secret that was found. */
  readonly state: "set" | "unset" | "different";
}

export class Ending {
  readonly #run: Run;
  readonly #parts: EndingParts;

  constructor(run: Run, parts: EndingParts) {
    this.#run = run;
    this.#parts = parts;
  }

  /** The table; where nothing was found, where it was looked for. */
  found(looked: readonly string[]): void {
    const { screen } = this.#run;
    const { shown, home } = this.#parts;
    if (screen.json) return;
    if (shown.length > 0) sayTable(screen, shown, home);
    else {
      screen.line("No servers were found. Looked into:");
      for (const file of new Set(looked)) screen.line(`  ${visible(short(file, home))}`);
      screen.line("Name another file with --file.");
    }
  }

  difference(before: string, after: string): void {
    const { screen } = this.#run;
    if (screen.json) return;
    screen.line();
    screen.line(`The change to ${this.#ownFile()}:`);
    for (const line of configDiff(before, after, screen.colours)) screen.line(line);
  }

  /** Nothing was chosen, or there is nothing to choose. */
  nothing(wanted: boolean): number {
    const { screen } = this.#run;
    const { shown } = this.#parts;
    if (screen.json) this.#value({ added: [], present: [], created: false }, []);
    else if (shown.length > 0) {
      screen.line();
      const addable = shown.filter(({ state, disabled }) => (state === "new" || state === "clash") && !disabled).length;
      if (wanted) screen.line("Nothing was added.");
      else if (addable === 0) screen.line("There is nothing to add.");
      else screen.line(`Nothing was added yet. Choose: toolpool import --all, or --only name,name (add --dry-run to look first)`);
    }
    return 0;
  }

  done({ added, present, created }: Stored, secrets: readonly KeptSecret[]): number {
    const { screen } = this.#run;
    const variables = this.#needed(added, secrets);
    if (screen.json) {
      this.#value({ added, present, created }, variables);
      return 0;
    }
    screen.line();
    for (const { alias } of present) screen.line(`${alias} is there already`);
    const aliases = added.map(({ alias }) => alias).join(", ");
    if (this.#parts.dryRun) screen.line(`Would add to ${this.#ownFile()}: ${aliases}. Nothing was written.`);
    else if (added.length > 0)
      screen.line(screen.colours.green(`Added to ${this.#ownFile()}${created ? " (new)" : ""}: ${aliases}`));
    if (variables.length > 0) this.#sayVariables(variables);
    if (this.#parts.dryRun || added.length === 0) return 0;
    const first = added.length === 1 ? (added[0]?.alias ?? "") : "<alias>";
    screen.line(`No agent can use them before you have looked at their tools: toolpool review ${first}`);
    return 0;
  }

  #sayVariables(variables: readonly NeededVariable[]): void {
    const { screen, env } = this.#run;
    const states = { set: "set here", unset: "not set here", different: "set here, to something else than what was found" };
    screen.line("Variables they need, in the environment the daemon starts in:");
    const width = Math.max(...variables.map(({ name }) => name.length));
    for (const { name, state } of variables) {
      const paint = state === "set" ? screen.colours.dim : screen.colours.yellow;
      screen.line(`  ${name.padEnd(width)}  ${paint(states[state])}`);
    }
    const file = short(join(dirname(configFile({ ...env, TOOLPOOL_CONFIG: "" })), "environment"), this.#parts.home);
    screen.line(
      `Set them before toolpool up; for toolpool service, in ${visible(file)}. The values are where the servers were found.`,
    );
  }

  #needed(added: Stored["added"], secrets: readonly KeptSecret[]): readonly NeededVariable[] {
    const { env } = this.#run;
    const texts = added.flatMap(({ launch: { command, args, env: own, cwd = "" } }) => [
      command,
      ...args,
      ...Object.values(own),
      cwd,
    ]);
    const names = texts.flatMap((text) => [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = ""]) => name));
    const held = new Map(secrets.map(({ variable, secret }) => [variable, secret]));
    return [...new Set(names)].map((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      const secret = held.get(name);
      return { name, state: value === undefined ? "unset" : secret !== undefined && secret !== value ? "different" : "set" };
    });
  }

  #value({ added, present, created }: Stored, variables: readonly NeededVariable[]): void {
    const { file, shown, problems, dryRun } = this.#parts;
    this.#run.screen.value({
      file,
      dryRun,
      created,
      added: added.map(({ alias }) => alias),
      alreadyThere: present.map(({ alias }) => alias),
      variables,
      servers: shown,
      problems,
    });
  }

  #ownFile(): string {
    return visible(short(this.#parts.file, this.#parts.home));
  }
}
