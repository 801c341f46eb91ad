import type { Requirement } from "../requirements.ts";

export const commands = [
  {
    id: "CMD-1",
    sentence:
      "The client passes the text of arguments and outcomes as it is: no number is rounded, nothing else gets into the request",
    source: "CONTRACT 5",
  },
  {
    id: "CMD-2",
    sentence:
      "An error of the daemon arrives as PoolError with its reason and data, a broken or missing line as PoolUnreachable with its code",
    source: "CONTRACT 2",
  },
  {
    id: "CMD-3",
    sentence: "An aborted request frees its caller at once, ends that request only, and leaves no listener on the signal",
    source: "bug-reports B40; DESIGN 4.8",
  },
  { id: "CMD-4", sentence: "Closing a client is idempotent, ends its watches and leaves no connection", source: "DESIGN 4.6" },
  { id: "CMD-5", sentence: "The watch delivers whole events in order, however the bytes are cut", source: "CONTRACT 1" },
  {
    id: "CMD-6",
    sentence: "A daemon counts as running only if the discovery file and its own hello name the same pid and pool",
    source: "bug-reports B59; style 2.1",
  },
  {
    id: "CMD-7",
    sentence: "Any number of starters at once end up with one daemon, and every one of them is connected to it",
    source: "bug-reports B59, B3; issue 2",
  },
  {
    id: "CMD-8",
    sentence: "A daemon of another contract is reported with both versions and what to do, and is left running",
    source: "bug-reports B59; CONTRACT 2",
  },
  { id: "CMD-9", sentence: "A state folder or socket of another user is refused", source: "bug-reports B59; DESIGN 3.8" },
  {
    id: "CMD-10",
    sentence: "A start is bounded, says once that it takes long, and a failed one says why and what to do; nothing of it is left",
    source: "style 2.1; CONTRACT 6",
  },
  {
    id: "CMD-11",
    sentence:
      "Text that servers wrote cannot move, colour, hide or reorder anything on the terminal, and JSON shown to people is the same JSON",
    source: "DESIGN 1.2; CONTRACT 6",
  },
  {
    id: "CMD-12",
    sentence:
      "Results are tables for people, cut to the terminal, and JSON for programs; colours are for terminals only and honour NO_COLOR",
    source: "CONTRACT 6",
  },
  {
    id: "CMD-13",
    sentence: "Every connect failure is told in plain words with what was found and what to do next",
    source: "CONTRACT 4; bug-reports B56",
  },
  {
    id: "CMD-14",
    sentence:
      "`up` starts one daemon however often and from wherever it is asked, and says where it listens; another wish than what runs is refused",
    source: "CONTRACT 6; bug-reports B59",
  },
  {
    id: "CMD-15",
    sentence:
      "`down` returns when the daemon and everything it owned is gone, says what it closed, and is done at once when nothing runs",
    source: "CONTRACT 6; bug-reports B59",
  },
  {
    id: "CMD-16",
    sentence: "In the foreground signals reach the daemon once, its log is shown, and its exit code passes through",
    source: "CONTRACT 6",
  },
  {
    id: "CMD-17",
    sentence: "Every mistake of a user is one sentence and what to do next, with the exit code of the table and no stack trace",
    source: "CONTRACT 6",
  },
  {
    id: "CMD-18",
    sentence: "`status`, `servers` and `logs` tell how things are, with and without a daemon",
    source: "CONTRACT 6",
  },
  {
    id: "CMD-19",
    sentence:
      "`connect`, `disconnect` and `restart` act for the pool, which takes nothing from a session that still holds the server",
    source: "CONTRACT 2, 6; issue 2",
  },
  {
    id: "CMD-20",
    sentence: "`tools`, `versions`, `diff`, `calls` and `watch` show the registry as the REST routes have it",
    source: "CONTRACT 1, 6",
  },
  {
    id: "CMD-21",
    sentence: "`call` runs one call in a session of its own that is gone afterwards, and prints the outcome letter by letter",
    source: "CONTRACT 5, 6",
  },
  {
    id: "CMD-22",
    sentence: "`call` finds the server in the registry and its history, never in the name, and says which one to connect",
    source: "DESIGN 3.2; CONTRACT 6",
  },
  {
    id: "CMD-23",
    sentence: "Where the local policy asks, `call` does not run without the person's word",
    source: "CONTRACT 3, 5",
  },
  {
    id: "CMD-24",
    sentence: "Ctrl-C ends a command with 130, and what it had started at a server is cancelled",
    source: "CONTRACT 6; bug-reports B40",
  },
  {
    id: "CMD-25",
    sentence:
      "`run` reports all missing settings at once, then a folder that is no repository root, before any state or process exists",
    source: "CONTRACT 6",
  },
  {
    id: "CMD-26",
    sentence: "`run` shows its timeline on stderr and its answer on stdout, and leaves no session; runs share the daemon",
    source: "CONTRACT 6; issue 2",
  },
  {
    id: "CMD-27",
    sentence: "`check` shows every fault of a configuration with its place and starts nothing",
    source: "CONTRACT 3, 6",
  },
  {
    id: "CMD-28",
    sentence:
      "A reload says what changed and what is wrong in the file, by line and column, and a file that cannot be taken is exit code 2",
    source: "CONTRACT 2 config.reload, 6",
  },
] as const satisfies readonly Requirement[];
