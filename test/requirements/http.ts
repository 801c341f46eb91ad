import type { Requirement } from "../requirements.ts";

export const http = [
  {
    id: "HTTP-1",
    sentence: "On every route, whatever the method, a foreign Host or Origin is 403 before anything else is looked at.",
    source: "bug-reports B50, B52; CONTRACT 1",
  },
  {
    id: "HTTP-2",
    sentence: "Over TCP every request but /livez needs the token (401 without); over the socket none does.",
    source: "bug-reports B50; CONTRACT 1",
  },
  {
    id: "HTTP-3",
    sentence: "A body that is too large is 413 and one of another content type 415, on every route, before it is read or parsed.",
    source: "bug-reports B50; CONTRACT 1",
  },
  {
    id: "HTTP-4",
    sentence:
      "The daemon listens on 127.0.0.1 and on a socket of mode 0600, and nothing is left listening when it cannot have both.",
    source: "bug-reports B50; CONTRACT 1; DESIGN 3.8",
  },
  {
    id: "HTTP-5",
    sentence: "No answer has a CORS header; none is cached but the immutable snapshot; types are not guessed.",
    source: "bug-reports B50",
  },
  {
    id: "HTTP-6",
    sentence: "An unknown route is 404, a known one asked otherwise 405 with Allow, an upgrade is refused.",
    source: "CONTRACT 1; bug-reports B50",
  },
  {
    id: "HTTP-7",
    sentence: "A single JSON-RPC request is read and refused as JSON-RPC 2.0 says, with its id echoed in its own type.",
    source: "CONTRACT 2; JSON-RPC 2.0",
  },
  {
    id: "HTTP-8",
    sentence: "A batch of up to 1,000 runs concurrently and is answered in its order.",
    source: "CONTRACT 1, 2; JSON-RPC 2.0 section 6",
  },
  {
    id: "HTTP-9",
    sentence: "A notification is executed and never answered.",
    source: "CONTRACT 2; JSON-RPC 2.0 section 4.1",
  },
  {
    id: "HTTP-10",
    sentence: "Params are checked against the method table, by name only, and the refusal names the place and the fault.",
    source: "CONTRACT 2",
  },
  {
    id: "HTTP-11",
    sentence: "Every method reaches its port, and every error has its code, reason and retryable of the one table.",
    source: "CONTRACT 2",
  },
  {
    id: "HTTP-12",
    sentence: "Text that the pool holds already goes into the answer byte for byte.",
    source: "CONTRACT 5; performance, advice",
  },
  {
    id: "HTTP-13",
    sentence: "A number in call arguments that a double cannot hold is reported by its pointer, and no other number is.",
    source: "CONTRACT 5",
  },
  {
    id: "HTTP-14",
    sentence: "A caller that is lost before its answer has cancelled its calls, and nobody else's.",
    source: "bug-reports B40; CONTRACT 2",
  },
  {
    id: "HTTP-15",
    sentence: "Answers never cross between callers or requests that use the same id.",
    source: "bug-reports B14",
  },
  {
    id: "HTTP-16",
    sentence: "A fault of the daemon is internal_error with a reference; its text is neither in the answer nor in the log.",
    source: "bug-reports B55; DESIGN rule 9",
  },
  {
    id: "HTTP-17",
    sentence: "While the daemon closes, new work is shutting_down, and reads, releases and cancels are still answered.",
    source: "CONTRACT 2; DESIGN 3.8; bug-reports B8",
  },
  {
    id: "HTTP-18",
    sentence: "Every REST route answers as the contract says; a query it cannot take is 400 and names the parameter.",
    source: "CONTRACT 1",
  },
  {
    id: "HTTP-19",
    sentence: "A version's snapshot is immutable to caches and answered 304 to who has it.",
    source: "CONTRACT 1",
  },
  {
    id: "HTTP-20",
    sentence:
      "The watch sends each version with its number as id, says lagging and closing, goes on after Last-Event-ID, and beats.",
    source: "CONTRACT 1",
  },
  {
    id: "HTTP-21",
    sentence: "A watch that is not read from takes nothing from the registry, and one that is left leaves nothing behind.",
    source: "bug-reports B60; DESIGN 3.1",
  },
  {
    id: "HTTP-22",
    sentence: "Closing ends idle connections and watches at once, busy ones after their answer, all of them at the deadline.",
    source: "bug-reports B8; DESIGN 3.8",
  },
  {
    id: "HTTP-23",
    sentence: "Malformed, half-open, slow and pipelined connections cost nobody else anything and are ended.",
    source: "issue 2, Parts; bug-reports B60",
  },
  {
    id: "HTTP-24",
    sentence: "The OpenAPI description is valid 3.1, has exactly the registered REST routes, and fits what they answer.",
    source: "CONTRACT 1",
  },
] as const satisfies readonly Requirement[];
