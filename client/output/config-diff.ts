// How a configuration would change, as people know it from version control; what may be a secret is not shown.
import { structuredPatch } from "diff";
import { maskedText } from "../../config/masked-text.ts";
import type { Colours } from "./colours.ts";
import { visible } from "./visible.ts";

/** One string a line; empty when nothing changes. */
export function configDiff(before: string, after: string, colours: Colours): readonly string[] {
  const { hunks } = structuredPatch("before", "after", maskedText(before), maskedText(after), "", "", { context: 2 });
  return hunks.flatMap(({ newStart, lines }) => [
    colours.dim(`@@ line ${String(newStart)}`),
    ...lines.filter((line) => !line.startsWith("\\")).map((line) => paint(visible(line.replaceAll("\t", "  ")), colours)),
  ]);
}

function paint(line: string, colours: Colours): string {
  if (line.startsWith("+")) return colours.green(line);
  return line.startsWith("-") ? colours.red(line) : colours.dim(line);
}
