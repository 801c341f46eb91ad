import type { Requirement } from "../requirements.ts";

export const choice = [
  {
    id: "CHO-1",
    sentence:
      "What a key does to the list of effects is one table: moving, effects, filter, local names, all at once, details, leaving",
    source: "issue 3",
  },
  {
    id: "CHO-2",
    sentence:
      "However effects are chosen, a tool that cannot be exposed is hidden, and exposed names fit and are unique; what is unsolved is named and gone to",
    source: "issue 3; DESIGN 3.2",
  },
  {
    id: "CHO-3",
    sentence: "The list works at a real terminal, narrow and wide, without colours, with hundreds of tools; nothing wraps",
    source: "issue 3",
  },
  {
    id: "CHO-4",
    sentence: "Leaving the list by Escape, Ctrl-D, Ctrl-C or a signal chooses nothing and gives the terminal back",
    source: "issue 3",
  },
  {
    id: "CHO-5",
    sentence: "Without a terminal the same is asked tool by tool; the end of the input chooses nothing",
    source: "issue 3",
  },
  {
    id: "CHO-6",
    sentence:
      "A policy file has the configuration's grammar; everything wrong is told at once with its place, nothing in it is passed over",
    source: "issue 3, bad input",
  },
  {
    id: "CHO-7",
    sentence: "A tool's details are whole, bounded, broken to the width, and nothing a server wrote reaches the terminal raw",
    source: "issue 3; bug-reports B51",
  },
] as const satisfies readonly Requirement[];
