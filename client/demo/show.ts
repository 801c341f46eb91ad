// How the demo is shown: the timeline as it goes, then the findings with what proves them.
import type { VersionRow } from "../../daemon/contract/index.ts";
import type { AgentEvent } from "../agent/events.ts";
import { timelineLines, type LastOffered } from "../agent/timeline.ts";
import type { Screen } from "../output/screen.ts";
import type { Finding } from "./finding.ts";

export class Show {
  readonly #screen: Screen;
  readonly #lastOffered: LastOffered = new Map();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  heading(text: string): void {
    this.#say("");
    this.#say(this.#screen.json ? text : this.#screen.colours.bold(text));
  }

  event(event: AgentEvent): void {
    for (const line of timelineLines(event, this.#lastOffered)) this.#say(`  ${line}`);
  }

  version({ version, cause, added, removed }: VersionRow): void {
    const change = `+${String(added.length)} −${String(removed.length)} tools`;
    this.#say(this.#dim(`  registry · version ${String(version)}: ${cause}, ${change}`));
  }

  findings(findings: readonly Finding[]): void {
    if (this.#screen.json) {
      this.#screen.value({ findings });
      return;
    }
    const { green, red, yellow } = this.#screen.colours;
    this.heading("Findings");
    for (const { number, title, result, proof, missing } of findings) {
      const mark = { holds: green("✓"), fails: red("✗"), not_observed: yellow("?") }[result];
      this.#say(`${mark} ${String(number)}. ${title}`);
      for (const line of proof) this.#say(this.#dim(`     ${line}`));
      for (const line of missing) this.#say(`     ${result === "fails" ? red(line) : yellow(line)}`);
    }
  }

  line(text: string): void {
    this.#say(text);
  }

  #dim(text: string): string {
    return this.#screen.json ? text : this.#screen.colours.dim(text);
  }

  /** For a program stdout carries the findings only. */
  #say(text: string): void {
    if (this.#screen.json) this.#screen.note(text);
    else this.#screen.line(text);
  }
}
