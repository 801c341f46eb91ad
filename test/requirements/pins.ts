import type { Requirement } from "../requirements.ts";

export const pins = [
  {
    id: "PIN-1",
    sentence:
      "A server whose command, arguments, environment names or cwd are not as reviewed is never started; the refusal names the part",
    source: "bug-reports B51, B54; issue 3",
  },
  {
    id: "PIN-2",
    sentence:
      "A change of any model-visible field of a pinned tool refuses the server with definition_drift and the place; a `default` and members the model never sees do not",
    source: "bug-reports B51; issue 3",
  },
  { id: "PIN-3", sentence: "A running server that drifts is withdrawn in one version", source: "issue 3; DESIGN 1.5" },
  {
    id: "PIN-4",
    sentence:
      "A lock file that cannot be read fails closed: it refuses the start or keeps the configuration in force, a broken entry refuses its server alone, each with its place",
    source: "bug-reports B51; issue 3, bad input",
  },
  {
    id: "PIN-12",
    sentence:
      "A server whose pins vanish under a running daemon is withdrawn and not connected until they are back or it was reviewed again",
    source: "bug-reports B51",
  },
  {
    id: "PIN-5",
    sentence: "A server that nobody has reviewed is started by no route, and every answer says how to review it",
    source: "bug-reports B54; issue 3",
  },
  {
    id: "PIN-6",
    sentence:
      "A server is looked at in quarantine: only for a launch that was read, nothing published, no version made, and nothing of it left however it ends",
    source: "bug-reports B54; issue 3",
  },
  {
    id: "PIN-7",
    sentence: "Other pins do not restart a running server that fits them; one that does not is withdrawn",
    source: "issue 3",
  },
  {
    id: "PIN-8",
    sentence: "The lock file has one line a tool, in code-unit order; a review changes the lines of its server and no other byte",
    source: "issue 3",
  },
  {
    id: "PIN-9",
    sentence: "A review that was overtaken by another change writes nothing; reviews at the same time lose neither's work",
    source: "issue 3, bad input",
  },
  {
    id: "PIN-10",
    sentence: "What a package runner starts has an install budget of its own, whole for every attempt, and is shown as such",
    source: "bug-reports B7",
  },
  {
    id: "PIN-11",
    sentence: "Package runners of one kind start one at a time; others do not wait for them",
    source: "bug-reports B7",
  },
] as const satisfies readonly Requirement[];
