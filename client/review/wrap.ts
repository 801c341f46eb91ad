// Text laid into lines of a width: at spaces where there are some, else where the line ends. Wide characters count twice.
import stringWidth from "string-width";

/** Made for text without colours and without line breaks; a further line keeps the indent of the first. */
export function wrapText(text: string, width: number): readonly string[] {
  if (width < 1 || (text.length <= width && stringWidth(text) <= width)) return [text];
  const indent = " ".repeat(Math.min(/^ */.exec(text)?.[0].length ?? 0, width >> 1));
  const lines: string[] = [];
  let line = "";
  let used = 0;
  let sinceSpace = 0;
  for (const { segment } of SEGMENTS.segment(text)) {
    const wide = stringWidth(segment);
    if (used + wide > width) {
      const space = line.lastIndexOf(" ");
      const atSpace = sinceSpace > 0 && space > indent.length && sinceSpace < width - indent.length;
      const rest = atSpace ? line.slice(space + 1) : "";
      lines.push(atSpace ? line.slice(0, space) : line);
      line = indent + (rest === "" && segment === " " ? "" : rest);
      used = stringWidth(line);
      sinceSpace = stringWidth(rest);
      if (rest === "" && segment === " ") continue;
    }
    line += segment;
    used += wide;
    sinceSpace = segment === " " ? 0 : sinceSpace + wide;
  }
  lines.push(line);
  return lines;
}

const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Exactly `width` columns: filled up, or cut with an ellipsis. */
export function fitText(text: string, width: number): string {
  const has = stringWidth(text);
  if (has <= width) return text + " ".repeat(width - has);
  let kept = "";
  let used = 0;
  for (const { segment } of SEGMENTS.segment(text.slice(0, width * 8))) {
    const wide = stringWidth(segment);
    if (used + wide > width - 1) break;
    kept += segment;
    used += wide;
  }
  return `${kept}…${" ".repeat(Math.max(0, width - 1 - used))}`;
}
