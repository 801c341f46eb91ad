import type { Requirement } from "../requirements.ts";

export const admission = [
  {
    id: "ADM-1",
    sentence: "The published names are exactly the policy's, or nothing is exposed and both differences are listed, sorted.",
    source: "DESIGN rule 4; CONTRACT 4",
  },
  {
    id: "ADM-2",
    sentence: "A hidden tool must be published, is never exposed, and its schema is not judged.",
    source: "DESIGN rule 2; issue 2",
  },
  {
    id: "ADM-3",
    sentence:
      "A tool is exposed as mcp__alias__name by one rule, without suffixes; what does not fit is refused with the remedy.",
    source: "bug-reports B19; DESIGN 3.2; CONTRACT 3",
  },
  {
    id: "ADM-4",
    sentence: "A name that stands twice, or two names that would become one, refuse all parties and name the originals.",
    source: "bug-reports B18; CONTRACT 4",
  },
  {
    id: "ADM-5",
    sentence: "All refusals are reported together, the failure's code is the first that applies, and its details are bounded.",
    source: "DESIGN 3.2; CONTRACT 4",
  },
  {
    id: "ADM-6",
    sentence: "A bad input schema is named by tool, pointer and reason, and the good ones beside it are not blamed.",
    source: "bug-reports B26; DESIGN 3.2",
  },
  {
    id: "ADM-7",
    sentence: "Deep, cyclic, huge, unreadable and prototype-touching schemas are refused within bounds.",
    source: "bug-reports B27; issue 2",
  },
  {
    id: "ADM-8",
    sentence: "References lead to subschemas of the same schema and never in a circle; recursive schemas work.",
    source: "bug-reports B27; corpus.md 6 rules 3 and 4",
  },
  {
    id: "ADM-9",
    sentence: "Nothing is ever fetched, and no schema reaches another one.",
    source: "bug-reports B27, B30; issue 2",
  },
  {
    id: "ADM-10",
    sentence: "A schema is judged and enforced in the dialect that it names; any other dialect is refused.",
    source: "bug-reports B29; DESIGN 3.2",
  },
  {
    id: "ADM-11",
    sentence:
      "Unknown keywords and formats are noted, known formats enforced; what was meant to assert and would be ignored is refused.",
    source: "bug-reports B29; corpus.md 6 rules 5 and 6",
  },
  {
    id: "ADM-12",
    sentence: "Composition at the root is admitted as published and enforced.",
    source: "bug-reports B28",
  },
  {
    id: "ADM-13",
    sentence: "A tool without arguments is admitted; extra keys are refused exactly where its schema says so.",
    source: "bug-reports B32",
  },
  {
    id: "ADM-14",
    sentence: "Values are checked and never changed; issues point at what is wrong and hold none of the values.",
    source: "DESIGN 3.2; CONTRACT 5",
  },
  {
    id: "ADM-15",
    sentence: "No pattern, format, schema or value takes more than bounded work to check.",
    source: "issue 2; corpus.md 6",
  },
  {
    id: "ADM-16",
    sentence: "An unusable output schema is dropped, from the view too, and never refuses its tool.",
    source: "bug-reports B27, B35; corpus.md 6",
  },
  {
    id: "ADM-17",
    sentence:
      "An exposed tool is frozen, byte-identical for equal content, and bears the policy's effect whatever the server hints.",
    source: "bug-reports B43; DESIGN rules 3 and 6; CONTRACT 2",
  },
  {
    id: "ADM-18",
    sentence: "Refreshing a list for ever keeps memory flat: equal schemas are shared, and go with the last toolset.",
    source: "bug-reports B30; DESIGN 3.2",
  },
  {
    id: "ADM-19",
    sentence: "A pinned tool whose model-visible fields differ from the pin is definition_drift.",
    source: "DESIGN 3.2",
  },
  {
    id: "ADM-20",
    sentence: "What real servers publish is admitted with a full policy, or refused for a reason that docs/SCHEMAS.md explains.",
    source: "issue 2",
  },
  {
    id: "ADM-21",
    sentence: "Admission gives the event loop its turns and can be abandoned between tools.",
    source: "DESIGN 3.2; DESIGN 4",
  },
] as const satisfies readonly Requirement[];
