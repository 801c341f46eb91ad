// The findings as a page for people: by group, the worst first, below each sentence what was found and the command that mends it.
import type { Screen } from "../output/screen.ts";
import { visible } from "../output/visible.ts";
import { FINDING_GROUPS, GROUPS, type Finding, type Level } from "./finding.ts";

const SYMBOLS: Readonly<Record<Level, string>> = { error: "✗", warning: "!", ok: "✓" };

export function report(screen: Screen, findings: readonly Finding[], fixed: boolean): void {
  const { colours } = screen;
  const paint: Readonly<Record<Level, (text: string) => string>> = {
    error: colours.red,
    warning: colours.yellow,
    ok: colours.green,
  };
  for (const group of GROUPS) {
    const here = findings.filter(({ id }) => FINDING_GROUPS[id] === group);
    if (here.length === 0) continue;
    screen.line(colours.bold(group));
    for (const { level, sentence, details = [], command } of here) {
      screen.line(`  ${paint[level](SYMBOLS[level])} ${visible(sentence)}`);
      for (const line of details) screen.line(`      ${colours.dim(visible(line))}`);
      if (command !== undefined) screen.line(`      ${colours.cyan(visible(command))}`);
    }
    screen.line();
  }
  screen.line(summary(findings, fixed));
}

function summary(findings: readonly Finding[], fixed: boolean): string {
  const count = (level: Level, word: string): readonly string[] => {
    const found = findings.filter((finding) => finding.level === level).length;
    return found === 0 ? [] : [`${String(found)} ${word}${found === 1 ? "" : "s"}`];
  };
  const parts = [...count("error", "error"), ...count("warning", "warning")];
  if (parts.length === 0) return "Nothing is wrong";
  const mendable = findings.filter(({ fix }) => fix !== undefined).length;
  const hint = mendable === 0 || fixed ? "" : `; ${String(mendable)} of them can be mended by: toolpool doctor --fix`;
  return `${parts.join(" and ")}${hint}`;
}
