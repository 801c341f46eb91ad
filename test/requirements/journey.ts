import type { Requirement } from "../requirements.ts";

export const journey = [
  {
    id: "JRN-1",
    sentence:
      "Real servers go from the hosts' files through import, review, connect and call to a change that is refused and reviewed again, and nothing of it is left",
    source: "issue 3, Done means; corpus.md 7 and 8",
  },
] as const satisfies readonly Requirement[];
