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
] as const satisfies readonly Requirement[];
