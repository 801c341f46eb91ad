// The questions of import at a terminal: what to add, other aliases where they clash, whether secrets become variables, and whether
// the change is right. Asked on stderr; Ctrl-C at any of them ends the command with nothing written.
import { checkbox, confirm, input } from "@inquirer/prompts";
import { ALIAS_PATTERN } from "../../daemon/contract/index.ts";
import { interrupted } from "../commands/failure.ts";
import type { Run } from "../commands/surroundings.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import { clashesAmong, type Configured, type Launchable } from "./candidates.ts";
import { freeAlias } from "./choose.ts";
import { placeName } from "./found.ts";
import { clashSentence, short } from "./report.ts";
import { shownWords, type KeptSecret } from "./secret-variables.ts";

export class Questions {
  readonly #context: {
    readonly input: NodeJS.ReadableStream;
    readonly output: NodeJS.WritableStream;
    readonly signal: AbortSignal;
  };
  readonly #columns: number;
  readonly #home: string;

  constructor({ stdin, stderr, signal }: Run, home: string) {
    this.#context = { input: stdin, output: stderr, signal };
    this.#columns = stderr.columns;
    this.#home = home;
  }

  /** `ready`: those that are chosen to begin with. */
  async what(candidates: readonly Launchable[], ready: ReadonlySet<Launchable>): Promise<readonly Launchable[]> {
    const width = Math.max(...candidates.map(({ name }) => visible(name).length));
    const choices = candidates.map((candidate, value) => {
      const { name, places, launch } = candidate;
      const words = shownWords(launch).map((word) => short(word, this.#home));
      const line = `${visible(name).padEnd(width)}  ${placeName(places[0])}  ${visible(words.join(" "))}`;
      // A line that the terminal breaks in two would confuse the list.
      return { value, name: cut(line, Math.max(20, this.#columns - 8)), short: visible(name), checked: ready.has(candidate) };
    });
    const picked = await this.#ask(
      checkbox({ message: "Which servers are to be added?", choices, pageSize: 15, loop: false }, this.#context),
    );
    return picked.flatMap((at) => candidates[at] ?? []);
  }

  /** Every one with an alias that is free. */
  async aliases(chosen: readonly Launchable[], configured: Configured): Promise<readonly Launchable[]> {
    const clashes = new Map(clashesAmong(chosen, configured).map((clash) => [clash.candidate, clash]));
    const settled = chosen.filter((candidate) => !clashes.has(candidate));
    const taken = new Set([...configured.keys(), ...settled.map(({ alias }) => alias ?? "")]);
    const given = new Map<Launchable, string>();
    for (const [candidate, clash] of clashes) {
      const { name, places } = candidate;
      this.#context.output.write(`${visible(name)} (${placeName(places[0])}): ${clashSentence(clash)}\n`);
      const validate = (alias: string): true | string => {
        if (!ALIAS_PATTERN.test(alias)) return "A lower-case letter, then a–z, 0–9 and _, at most 32 characters";
        return !taken.has(alias) || `"${alias}" is taken`;
      };
      const message = `Alias for ${visible(name)}:`;
      const alias = await this.#ask(input({ message, default: freeAlias(candidate, taken), validate }, this.#context));
      taken.add(alias);
      given.set(candidate, alias);
    }
    return chosen.map((candidate) => ({ ...candidate, alias: given.get(candidate) ?? candidate.alias }));
  }

  secrets(secrets: readonly KeptSecret[]): Promise<boolean> {
    this.#context.output.write("Secrets stand in these; they can become variables, so that none is kept in the configuration:\n");
    for (const { alias, where, variable } of secrets) {
      this.#context.output.write(`  ${alias}: ${visible(where)} → \${${variable}}\n`);
    }
    return this.#ask(confirm({ message: "Keep them as variables?", default: true }, this.#context));
  }

  right(file: string): Promise<boolean> {
    return this.#ask(confirm({ message: `Write this to ${visible(short(file, this.#home))}?`, default: true }, this.#context));
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Error && /^(?:ExitPrompt|AbortPrompt|CancelPrompt)Error$/.test(error.name)) throw interrupted();
      throw error;
    }
  }
}
