// The built-in tools that change files of the working directory: write one whole, or replace a text in one.
import { defineTool, flag, text, ToolProblem, type BuiltInTool } from "./built-in.ts";
import type { Workspace } from "./workspace.ts";

export function writeTools(workspace: Workspace): readonly BuiltInTool[] {
  return [writeFile(workspace), editFile(workspace)];
}

const writeFile = (workspace: Workspace): BuiltInTool =>
  defineTool({
    name: "write_file",
    description: "Writes a text file of the working directory whole, replacing what was there; makes missing folders.",
    effect: "write",
    parameters: { path: text("Relative to the working directory."), content: text("All of the file's text.") },
    run: async ({ path, content }, { signal }) => {
      signal.throwIfAborted();
      const place = await workspace.writeText(path, content);
      return `${place.exists ? "Replaced" : "Created"} ${workspace.shown(place.path)}`;
    },
  });

const editFile = (workspace: Workspace): BuiltInTool =>
  defineTool({
    name: "edit_file",
    description: "Replaces a text in a file of the working directory. The text must occur exactly once, unless `all` is true.",
    effect: "write",
    parameters: {
      path: text("Relative to the working directory."),
      old: text("What is there now, letter by letter."),
      new: text("What takes its place."),
      all: flag("Replace every occurrence."),
    },
    run: async ({ path, old, new: replacement, all }, { signal }) => {
      if (old === "") throw new ToolProblem("invalid_arguments", "The text to replace is empty");
      const parts = (await workspace.readText(path)).split(old);
      const times = parts.length - 1;
      if (times === 0) throw new ToolProblem("no_match", "The text does not occur in the file");
      if (times > 1 && !all) {
        throw new ToolProblem("not_unique", `The text occurs ${String(times)} times: give more of what is around it, or set all`);
      }
      signal.throwIfAborted();
      const place = await workspace.writeText(path, parts.join(replacement));
      return `Replaced ${String(times)} ${times === 1 ? "occurrence" : "occurrences"} in ${workspace.shown(place.path)}`;
    },
  });
