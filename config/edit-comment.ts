// Puts a comment above a member of a JSON text with comments and leaves every other character as it is. Pure.
import { findNodeAtLocation, parseTree } from "jsonc-parser";

/** One line, whatever `comment` holds. A member that is not there gets none. */
export function commentAbove(text: string, path: readonly string[], comment: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const property = root && findNodeAtLocation(root, [...path])?.parent;
  if (property === undefined) return text;
  const line = comment.replace(/\s+/g, " ").trim();
  const start = Math.max(text.lastIndexOf("\n", property.offset - 1), text.lastIndexOf("\r", property.offset - 1)) + 1;
  const before = text.slice(start, property.offset);
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  // On a line with other things a line comment would swallow them.
  const alone = before.trim() === "";
  const [at, inserted] = alone
    ? [start, `${before}// ${line}${eol}`]
    : [property.offset, `/* ${line.replaceAll("*/", "* /")} */ `];
  return text.slice(0, at) + inserted + text.slice(at);
}
