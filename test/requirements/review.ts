import type { Requirement } from "../requirements.ts";

export const review = [
  {
    id: "REV-1",
    sentence:
      "`read` is proposed only where a name plainly looks and nothing speaks against it; hints, texts and arguments make a proposal stricter, never milder; unknown is `write`",
    source: "issue 3; DESIGN 1.3; bug-reports B43",
  },
  {
    id: "REV-2",
    sentence: "No tool of the real servers that a person labelled is proposed weaker than its label",
    source: "issue 3; corpus 5",
  },
  { id: "REV-3", sentence: "A tool that admission refuses is proposed `hidden`, with the reason", source: "issue 3" },
  {
    id: "REV-4",
    sentence:
      "Invisible characters, mixed scripts, text that speaks to the model or of other tools, markup, links and encoded text are flagged in every model-visible string, with the place",
    source: "issue 3; bug-reports B51",
  },
  { id: "REV-5", sentence: "Ordinary text is hardly ever flagged", source: "issue 3; corpus" },
  { id: "REV-6", sentence: "Looking at a tool takes linear time whatever its server wrote", source: "issue 3" },
  {
    id: "REV-7",
    sentence:
      "Bytes and o200k tokens are those of the tool's JSON as a provider gets it; the encoding is loaded when it is needed",
    source: "issue 3; corpus 4",
  },
  {
    id: "REV-8",
    sentence:
      "A name that is too long, empty or another's gets a valid, unique local name offered, the same one in whatever order the tools are listed",
    source: "issue 3; corpus 6",
  },
  {
    id: "REV-9",
    sentence:
      "The list of effects is driven by keys; a refused tool stays hidden, and names that do not do are asked for before it ends",
    source: "issue 3",
  },
  {
    id: "REV-10",
    sentence:
      "At a real terminal the list moves, filters, shows a tool in full, fits narrow and resized windows, and gives the terminal back however it ends",
    source: "issue 3",
  },
  {
    id: "REV-11",
    sentence: "Without a terminal that draws, the same choice is made line by line; silence decides nothing",
    source: "issue 3",
  },
  {
    id: "REV-12",
    sentence:
      "A policy file is read by the rules of the configuration; every fault, unknown tool and missing tool is told with line and column",
    source: "issue 3, bad input",
  },
  {
    id: "REV-13",
    sentence:
      "A launch is shown whole before the first start, with names of variables and never their values, and with what to be careful about",
    source: "issue 3; bug-reports B54",
  },
  {
    id: "REV-14",
    sentence:
      "What changed since the review is shown field by field, old against new, bounded, with everything invisible made visible",
    source: "issue 3; bug-reports B51",
  },
] as const satisfies readonly Requirement[];
