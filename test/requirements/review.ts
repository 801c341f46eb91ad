import type { Requirement } from "../requirements.ts";

export const review = [
  {
    id: "REV-1",
    sentence:
      "A proposal is never weaker than what any word of the server suggests: `read` only for a name that looks and nothing that contradicts, unknown is `write`, what cannot be exposed is `hidden`",
    source: "issue 3; DESIGN 1.3; corpus 5",
  },
  {
    id: "REV-2",
    sentence:
      "Every model-visible string is searched for what cannot be seen and for text that speaks to the model or about other tools, in bounded work, with little noise on real servers",
    source: "issue 3; bug-reports B51",
  },
  {
    id: "REV-3",
    sentence: "Names that do not fit are offered a local name: valid, unique, the same every time, and never applied by itself",
    source: "issue 3; corpus 4",
  },
  { id: "REV-4", sentence: "A tool's cost is that of the JSON a provider gets, in o200k tokens", source: "issue 3; corpus 4" },
  {
    id: "REV-5",
    sentence:
      "Before a first start the whole launch is shown, environment names only, with what is risky about it; without a yes nothing is started",
    source: "issue 3; bug-reports B54",
  },
  {
    id: "REV-6",
    sentence:
      "A review by questions and answers, at a terminal by keys, or by a policy file writes exactly what was decided, keeps comments and layout, and pins it; every way out before the confirmation writes nothing",
    source: "issue 3",
  },
  {
    id: "REV-7",
    sentence: "A drifted server is shown old against new, field by field, and connects again after it was reviewed",
    source: "issue 3; bug-reports B51",
  },
  {
    id: "REV-8",
    sentence:
      "A tool that cannot be exposed can only be hidden, one whose name does not do needs another, whatever keys are pressed",
    source: "issue 3",
  },
  {
    id: "REV-9",
    sentence:
      "A policy file is held to the grammar of the configuration and to what is published; everything wrong is told with its place",
    source: "issue 3, bad input",
  },
  {
    id: "REV-10",
    sentence: "What may be a secret is on no screen, in no JSON and not in the lock file",
    source: "issue 3; bug-reports B55",
  },
] as const satisfies readonly Requirement[];
