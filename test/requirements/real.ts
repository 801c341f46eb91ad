import type { Requirement } from "../requirements.ts";

export const real = [
  {
    id: "REAL-1",
    sentence:
      "The shipped example runs three servers from npm at once: what its policies expose is offered under their local names, and nothing else",
    source: "issue 2, Real servers; DESIGN rules 3 and 4",
  },
  {
    id: "REAL-2",
    sentence: "What real servers answer arrives whole: structured results, pictures, resources, links, annotations",
    source: "issue 2, Real servers; CONTRACT 5",
  },
  {
    id: "REAL-3",
    sentence: "A real operation that reports progress may take longer than its longest silence",
    source: "issue 2, Real servers; CONTRACT 3",
  },
  {
    id: "REAL-4",
    sentence: "What real servers keep is read back as it was written, and stays when they are started again",
    source: "issue 2, Real servers",
  },
  {
    id: "REAL-5",
    sentence: "A real server's refusal becomes the fixed message, and arguments that do not match never reach it",
    source: "issue 2, Real servers; DESIGN rule 9",
  },
  {
    id: "REAL-6",
    sentence:
      "A real server that announces list changes at once costs no version, and none outlives its disconnect or the daemon",
    source: "issue 2, Real servers; DESIGN rule 10",
  },
  {
    id: "REAL-7",
    sentence: "The documents name commands and options that exist, link to what is there, and show configurations that are sound",
    source: "issue 2, Done means",
  },
] as const satisfies readonly Requirement[];
