import type { Requirement } from "../requirements.ts";

export const completion = [
  {
    id: "CMP-1",
    sentence: "Commands, options, choices and the kinds of arguments are offered as the program itself defines them",
    source: "issue 3",
  },
  {
    id: "CMP-2",
    sentence: "Aliases and tool names come from the running pool, aliases without one from the configuration; nothing is started",
    source: "issue 3",
  },
  {
    id: "CMP-3",
    sentence: "Completion is silent and short whatever is wrong: no message, no failure, no wait",
    source: "issue 3",
  },
  { id: "CMP-4", sentence: "bash completes real lines, with quotes, spaces, = and : in them", source: "issue 3" },
  { id: "CMP-5", sentence: "zsh completes real lines", source: "issue 3" },
  { id: "CMP-6", sentence: "fish completes real lines", source: "issue 3" },
] as const satisfies readonly Requirement[];
