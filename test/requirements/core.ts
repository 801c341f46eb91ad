import type { Requirement } from "../requirements.ts";

export const core = [
  {
    id: "CORE-1",
    sentence:
      "A step of the registry is taken whole or not at all, adds exactly one version, and a step that changes nothing adds none.",
    source: "DESIGN rule 5, 3.1",
  },
  {
    id: "CORE-2",
    sentence: "Withdraw and replace name the very toolset they mean: a late clean-up can never remove a successor's.",
    source: "DESIGN rule 5, 3.1",
  },
  {
    id: "CORE-3",
    sentence:
      "Snapshots are deep-frozen, ordered by name in code units, and byte-identical for identical content whatever order servers came in.",
    source: "DESIGN rule 6; bug-reports B24",
  },
  {
    id: "CORE-4",
    sentence: "Unchanged toolsets are the same objects in the next state, and an unchanged view is served from the same bytes.",
    source: "DESIGN 3.1",
  },
  {
    id: "CORE-5",
    sentence:
      "A read checks future, then floor, then answers; below the floor the journal answers, and what it no longer has is unknown_version.",
    source: "DESIGN 3.1; CONTRACT 1",
  },
  {
    id: "CORE-6",
    sentence:
      "A watcher gets every version once and in order, a slow one is told that it lags and never slows a commit, and none is left behind.",
    source: "DESIGN 3.1",
  },
  {
    id: "CORE-7",
    sentence:
      "A name belongs to one server: whoever would publish a taken name is refused and nobody's tools are overwritten; names are never split back.",
    source: "DESIGN 3.2; bug-reports B18, B19",
  },
  {
    id: "CORE-8",
    sentence:
      "A call runs only the exact definition its session saw, while the same connection still publishes it and the session is still attached.",
    source: "DESIGN rule 8; CONTRACT 2 (Versions), 5; bug-reports B22",
  },
  {
    id: "CORE-9",
    sentence:
      "Calls of one connection overlap only where they may, sessions take turns, waiting is bounded in number and time, and nothing starves.",
    source: "DESIGN 3.4; bug-reports B13",
  },
  {
    id: "CORE-10",
    sentence:
      "Whether a lost server is started again is a pure decision: only on request, only while it is held, 1 to 16 s apart, at most five times.",
    source: "DESIGN 3.4; bug-reports B6",
  },
  {
    id: "CORE-11",
    sentence: "List changes are read again one at a time, at a pace that falls while they bring nothing new.",
    source: "issue 1 stdio upstream; bug-reports B21",
  },
  {
    id: "CORE-12",
    sentence:
      "A cancel that overtakes its call is remembered, a finished call is not cancelled, and a call id in flight is refused.",
    source: "CONTRACT 2 tools.cancel; bug-reports B14",
  },
  {
    id: "CORE-13",
    sentence:
      "An outcome holds the server's content untouched, drops text that only repeats the structured content, and rounds no number.",
    source: "CONTRACT 5; bug-reports B36",
  },
  {
    id: "CORE-14",
    sentence: "An error outcome is a local code and a fixed message: no word of the server's is in it.",
    source: "DESIGN rule 9; CONTRACT 5; bug-reports B35, B55",
  },
  {
    id: "CORE-15",
    sentence: "States of a server follow one transition function; what makes no sense in a state is refused.",
    source: "DESIGN 3.4",
  },
] as const satisfies readonly Requirement[];
