import type { Requirement } from "../requirements.ts";

export const project = [
  { id: "PRJ-1", sentence: "Every promise of the product is proved by at least one test.", source: "issue 2, Tests" },
  {
    id: "PRJ-2",
    sentence: "Imports follow the table of the architecture; a break of it is reported by name.",
    source: "DESIGN 3",
  },
  { id: "PRJ-3", sentence: "Nothing but the entry programs ends the process.", source: "DESIGN 3" },
  { id: "PRJ-4", sentence: "One concept per file, said in its first paragraph, at most 300 lines.", source: "DESIGN 4" },
  {
    id: "PRJ-5",
    sentence: "The container image runs as an ordinary user below an init, with a health check and no open port.",
    source: "issue 2, Parts",
  },
  { id: "PRJ-6", sentence: "A clean clone installs exactly what was tested, from any registry.", source: "issue 2, Done means" },
  {
    id: "PRJ-7",
    sentence:
      "With servers crashing, reconnecting and changing their lists, no answer is lost or crossed, nothing runs twice, and every call has its row.",
    source: "issue 2, Soak; DESIGN rules 8 and 10",
  },
] as const satisfies readonly Requirement[];
