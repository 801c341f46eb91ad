import type { Requirement } from "../requirements.ts";

export const upstream = [
  {
    id: "UPS-1",
    sentence:
      "A child gets a short list of inherited variables and what its configuration adds, and nothing else of the daemon's",
    source: "bug-reports B56; DESIGN 3.3",
  },
  {
    id: "UPS-2",
    sentence:
      "The program is found by us, on the child's own PATH and without a shell; a failure says why and where, and no expanded value",
    source: "bug-reports B56; CONTRACT 3, 4",
  },
  {
    id: "UPS-3",
    sentence: "close climbs stdin, SIGINT, SIGTERM, SIGKILL on the whole group and resolves when the group is verified gone",
    source: "bug-reports B1; DESIGN 3.3",
  },
  {
    id: "UPS-4",
    sentence: "The next rung of the stop ladder is a pure decision over facts",
    source: "DESIGN 3.3, 4",
  },
  { id: "UPS-5", sentence: "destroy kills the group now, also in the middle of a close", source: "bug-reports B1; DESIGN 4" },
  {
    id: "UPS-6",
    sentence: "The exit of the process ends the link although others hold its pipes, and whoever survives in its group is ended",
    source: "bug-reports B1; DESIGN 3.3",
  },
  {
    id: "UPS-7",
    sentence: "The leader is reported by identity in the turn of its start, and every process found in its group later",
    source: "bug-reports B2; issue 2",
  },
  {
    id: "UPS-8",
    sentence: "What a killed daemon left is found by verified identity and ended; a stranger's process is never signalled",
    source: "bug-reports B1, B2, B59; issue 2",
  },
  {
    id: "UPS-9",
    sentence: "A broken pipe or an exit at any moment ends that link and nothing else",
    source: "bug-reports B5",
  },
  {
    id: "UPS-10",
    sentence: "Text that is no JSON-RPC on stdout is skipped and counted, and never settles a call",
    source: "bug-reports B9; corpus 8",
  },
  {
    id: "UPS-11",
    sentence: "stderr is always drained into a bounded ring and never pushes back",
    source: "bug-reports B11",
  },
  {
    id: "UPS-12",
    sentence: "Of a line over the cap only the call it belongs to fails, with both sizes; its tail is never a message",
    source: "bug-reports B12, B38; CONTRACT 5",
  },
  { id: "UPS-13", sentence: "Long lines are read in linear time", source: "bug-reports B12; reference/sdk 1" },
  {
    id: "UPS-14",
    sentence: "Any number of calls share one pair of pipes: every answer reaches its own call, in whatever order it comes",
    source: "bug-reports B13",
  },
  {
    id: "UPS-15",
    sentence: "A handshake that cannot be used fails the connect with a rule of ours; odd but harmless greetings do not",
    source: "DESIGN 3.3; CONTRACT 4",
  },
  {
    id: "UPS-16",
    sentence: "Pages are walked until the cursor is absent, with caps; a walk that does not end cleanly publishes nothing",
    source: "bug-reports B17; DESIGN 3.3",
  },
  {
    id: "UPS-17",
    sentence: "Lists and results come through untouched: odd tools, unknown members, numbers no double can hold",
    source: "bug-reports B26, B36; CONTRACT 5",
  },
  {
    id: "UPS-18",
    sentence: "A change notice is passed on whether or not the capability was declared and however early it comes",
    source: "bug-reports B21, B22; corpus 8",
  },
  {
    id: "UPS-19",
    sentence: "Every call sends a progress token; its progress reaches the call, other tokens reach nobody",
    source: "bug-reports B39",
  },
  {
    id: "UPS-20",
    sentence: "A cancel settles the caller at once, tells the server by our id, and drops the late answer",
    source: "bug-reports B40",
  },
  {
    id: "UPS-21",
    sentence: "No error of a link carries a word written by the server",
    source: "DESIGN 1",
  },
  {
    id: "UPS-22",
    sentence: "A server that asks gets ping answered and everything we did not declare refused",
    source: "DESIGN 3.3",
  },
  {
    id: "UPS-23",
    sentence:
      "Writes honour back-pressure, and a child that dies with a full pipe settles every call; what was never written is known",
    source: "bug-reports B13, B41; reference/sdk 7",
  },
  {
    id: "UPS-24",
    sentence: "Starting and stopping again and again leaves no process, no listener and no handle",
    source: "bug-reports B2; reference/sdk 7",
  },
  {
    id: "UPS-25",
    sentence: "A connect can be given up at any moment, and its process is still ended",
    source: "DESIGN 4",
  },
  { id: "UPS-26", sentence: "Servers built with the official SDK work through the link", source: "issue 2" },
] as const satisfies readonly Requirement[];
