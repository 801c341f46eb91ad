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
  {
    id: "POOL-1",
    sentence:
      "Connecting is exactly one version, disconnecting is exactly one version, and a tool connected during a reply does not exist until the next request.",
    source: "DESIGN rules 5, 7; CONTRACT 2 (Versions)",
  },
  {
    id: "POOL-2",
    sentence:
      "Sessions share a server's process; one leaving never takes tools from another, and the last one leaving closes it.",
    source: "DESIGN 3.5; bug-reports B2",
  },
  {
    id: "POOL-3",
    sentence:
      "One start per alias is under way at a time, shared by all who ask; who leaves leaves alone, and when all have left it is given up.",
    source: "DESIGN 3.4; bug-reports B3",
  },
  {
    id: "POOL-4",
    sentence:
      "A server that dies, idle or busy, or exceeds a time limit is withdrawn whole in one version; nothing of it stays callable.",
    source: "DESIGN 3.4, issue 1 finding 7; bug-reports B5, B39",
  },
  {
    id: "POOL-5",
    sentence: "One bad server takes nothing from the others: each is reported by alias and reason, and healthy tools go on.",
    source: "DESIGN 1; bug-reports B6, B26",
  },
  {
    id: "POOL-6",
    sentence:
      "A changed list is one version when its content differs and none when it does not; one that no longer matches the policy is withdrawn; one that cannot be read keeps the last.",
    source: "issue 1 stdio upstream; CONTRACT 4; bug-reports B17, B21, B22",
  },
  {
    id: "POOL-7",
    sentence: "No answer crosses: two clients with the same ids and reversed replies each get their own.",
    source: "bug-reports B13, B14",
  },
  {
    id: "POOL-8",
    sentence:
      "A cancelled or abandoned call is answered at once, the server is told, a late reply is dropped, and nothing is sent for a call cancelled before it came.",
    source: "CONTRACT 2, 5; bug-reports B40",
  },
  {
    id: "POOL-9",
    sentence:
      "A call is never replayed: what was lost after its bytes left says that it may have run, and the server is reached once.",
    source: "DESIGN rule 8; bug-reports B41",
  },
  {
    id: "POOL-10",
    sentence: "Only a lead sees and holds servers; a subagent or teammate that asks by name is refused by the daemon.",
    source: "DESIGN 3.5; CONTRACT 2, 5",
  },
  {
    id: "POOL-11",
    sentence: "Sessions end by request, with their parent, by their idle limit; a thousand opened and dropped leave nothing.",
    source: "DESIGN 3.5; bug-reports B60",
  },
  {
    id: "POOL-12",
    sentence:
      "After a restart versions and connection numbers go on above the old ones, an old tag never means something new, and old versions can still be read.",
    source: "DESIGN 3.1, 3.7",
  },
  {
    id: "POOL-13",
    sentence:
      "After a clean stop no child, grandchild, socket or file of the run is left; calls in flight are drained to a deadline; idle connections do not hold it up.",
    source: "DESIGN rule 10, 3.8; bug-reports B8",
  },
  {
    id: "POOL-14",
    sentence: "After kill -9 of the daemon the next start ends what it left, and never a stranger's process.",
    source: "issue 1 malice; bug-reports B1, B59",
  },
  {
    id: "POOL-15",
    sentence: "A denied, hidden, unapproved or withdrawn tool cannot be reached on any route.",
    source: "bug-reports B52",
  },
  {
    id: "POOL-16",
    sentence: "No secret of a configuration and no word of a server is in any log, error, status or journal record.",
    source: "DESIGN rule 9; CONTRACT 3; bug-reports B55",
  },
  {
    id: "POOL-17",
    sentence: "A reload touches only what changed, one version a server; a bad file keeps the old configuration and says so.",
    source: "CONTRACT 2 config.reload",
  },
  {
    id: "POOL-18",
    sentence:
      "A lost server is started again by itself only where its configuration asks for it, as a new connection and a new version.",
    source: "DESIGN 3.4; bug-reports B6, B22",
  },
  {
    id: "POOL-19",
    sentence: "Arguments that do not match are refused locally, with pointers, and reach no server; they are never changed.",
    source: "DESIGN 3.2; CONTRACT 5; bug-reports B32",
  },
  {
    id: "POOL-20",
    sentence: "Results are bounded by size, and an oversized one says so without harm to the connection.",
    source: "CONTRACT 5; bug-reports B12, B38",
  },
  {
    id: "POOL-21",
    sentence:
      "Every call leaves a record, refused ones too, with digests and sizes instead of text; anything but a read is on disk before its bytes leave.",
    source: "DESIGN 3.6; CONTRACT 1",
  },
  {
    id: "POOL-22",
    sentence: "Identical content gives identical bytes across restarts and whatever order servers come up in.",
    source: "DESIGN rule 6; bug-reports B24",
  },
] as const satisfies readonly Requirement[];
