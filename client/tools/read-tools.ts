// The built-in tools that only look: read a file, list a folder, search for a text. Bounded in what they read and in what they
// say; what is left out is said.
import { defineTool, flag, optionalText, text, ToolProblem, wholeNumber, type BuiltInTool } from "./built-in.ts";
import { walk } from "./walk.ts";
import { decodeText, type Workspace } from "./workspace.ts";

const MOST_LINES = 2_000;
const MOST_CHARACTERS = 256 * 1024;
const MOST_ENTRIES = 1_000;
const MOST_MATCHES = 200;
const LONGEST_MATCH = 240;
const MAX_SEARCHED_BYTES = 1024 * 1024;

export function readTools(workspace: Workspace): readonly BuiltInTool[] {
  return [readFile(workspace), listFiles(workspace), searchFiles(workspace)];
}

const readFile = (workspace: Workspace): BuiltInTool =>
  defineTool({
    name: "read_file",
    description: `Reads a text file of the working directory. At most ${String(MOST_LINES)} lines at a time.`,
    effect: "read",
    parameters: {
      path: text("Relative to the working directory."),
      offset: wholeNumber("First line, from 1.", { minimum: 1, maximum: 1_000_000_000, absent: 1 }),
      limit: wholeNumber("How many lines.", { minimum: 1, maximum: MOST_LINES, absent: MOST_LINES }),
    },
    run: async ({ path, offset, limit }) => {
      const lines = (await workspace.readText(path)).split("\n");
      // The end of the last line is no further line.
      if (lines.length > 1 && lines.at(-1) === "") lines.pop();
      if (offset > lines.length) throw new ToolProblem("not_found", `The file has ${String(lines.length)} lines`);
      let last = offset - 1;
      let size = 0;
      while (last < Math.min(lines.length, offset - 1 + limit) && size <= MOST_CHARACTERS) {
        size += (lines[last] ?? "").length + 1;
        last++;
      }
      const shown = lines.slice(offset - 1, last).join("\n");
      // One line alone may be too long.
      const content = shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}… [cut]` : shown;
      if (offset === 1 && last === lines.length) return content;
      const next = last < lines.length ? `; continue with offset ${String(last + 1)}` : "";
      return `${content}\n[lines ${String(offset)} to ${String(last)} of ${String(lines.length)}${next}]`;
    },
  });

const listFiles = (workspace: Workspace): BuiltInTool =>
  defineTool({
    name: "list_files",
    description: "Lists a folder of the working directory; folders end with /, links with @.",
    effect: "read",
    parameters: {
      path: optionalText("Relative to the working directory; default: the working directory itself."),
      recursive: flag("With everything below, except inside .git and node_modules."),
    },
    run: async ({ path, recursive }, { signal }) => {
      const folder = await workspace.existing(path ?? ".");
      const names: string[] = [];
      let more = false;
      for await (const entry of walk(folder, { recursive, signal })) {
        more = names.length >= MOST_ENTRIES;
        if (more) break;
        names.push(workspace.shown(entry.path) + { folder: "/", link: "@", file: "", other: "" }[entry.kind]);
      }
      if (names.length === 0) return "[empty]";
      return names.join("\n") + (more ? `\n[only the first ${String(MOST_ENTRIES)} entries]` : "");
    },
  });

const searchFiles = (workspace: Workspace): BuiltInTool =>
  defineTool({
    name: "search_files",
    description: "Searches the text files of the working directory for a text (no pattern) and shows path:line: content.",
    effect: "read",
    parameters: {
      text: text("What to look for, within one line."),
      path: optionalText("A folder or file to search; default: the working directory."),
      suffix: optionalText("Only files whose path ends so, e.g. .ts"),
      ignoreCase: flag("Upper and lower case are the same."),
    },
    run: async ({ text: wanted, path, suffix = "", ignoreCase }, { signal }) => {
      if (wanted === "") throw new ToolProblem("invalid_arguments", "The text to look for is empty");
      const start = await workspace.existing(path ?? ".");
      const folded = (line: string): string => (ignoreCase ? line.toLowerCase() : line);
      const needle = folded(wanted);
      const found: string[] = [];
      for await (const entry of walk(start, { recursive: true, signal })) {
        if (entry.kind !== "file" || !entry.path.endsWith(suffix)) continue;
        // A file that cannot be read, or is no text, holds no match.
        const bytes = await workspace.readBytes(entry.path, MAX_SEARCHED_BYTES).catch(() => undefined);
        const content = bytes === undefined ? undefined : decodeText(bytes);
        for (const [at, line] of (content ?? "").split("\n").entries()) {
          if (!folded(line).includes(needle)) continue;
          if (found.length >= MOST_MATCHES) return `${found.join("\n")}\n[only the first ${String(MOST_MATCHES)} matches]`;
          const shown = line.length > LONGEST_MATCH ? `${line.slice(0, LONGEST_MATCH)}…` : line;
          found.push(`${workspace.shown(entry.path)}:${String(at + 1)}: ${shown}`);
        }
      }
      return found.length === 0 ? "[no match]" : found.join("\n");
    },
  });
