// Promises about whole shapes of failure that users reported (reference bug-reports), shown with the whole daemon.
import type { Requirement } from "../requirements.ts";

export const shapes = [
  {
    id: "SHAPE-1",
    sentence:
      "A server that ends or closes its pipes at any moment is that server's failure alone, and the daemon does not need its own stderr",
    source: "bug-reports B5, B6",
  },
  {
    id: "SHAPE-2",
    sentence: "A crash loop never makes a tool of a healthy server fail, stale or unknown",
    source: "bug-reports B6; DESIGN 3.4",
  },
  {
    id: "SHAPE-3",
    sentence: "Whatever is restarted, reloaded, removed and added, the living processes are exactly those the status names",
    source: "bug-reports B2, B3; CONTRACT 2 servers.restart, config.reload",
  },
  {
    id: "SHAPE-4",
    sentence:
      "A child is started with exactly its documented environment, the arguments as they are written, and a program found by one rule",
    source: "bug-reports B56; CONTRACT 3; DESIGN 3.3",
  },
  {
    id: "SHAPE-5",
    sentence:
      "The end of a server or of the daemon lets running calls finish up to a deadline, and is over within a bound whatever is connected",
    source: "bug-reports B8; CONTRACT 5; DESIGN 3.8",
  },
  {
    id: "SHAPE-6",
    sentence:
      "Nothing reaches a server before its handshake has ended, and a server that works on one call at a time makes none of them time out",
    source: "bug-reports B13; DESIGN 3.4",
  },
  {
    id: "SHAPE-7",
    sentence:
      "Requests with one id, or with ids that differ in type alone, get their own answers on one connection and in one batch",
    source: "bug-reports B14; CONTRACT 2",
  },
  {
    id: "SHAPE-8",
    sentence: "Only progress of the very call holds its silence off; what names another token is counted and helps nobody",
    source: "bug-reports B39; CONTRACT 3 toolTimeoutMs",
  },
  {
    id: "SHAPE-9",
    sentence:
      "A cancel that meets the answer on its way settles the call once, with its own answer or as cancelled, and frees its place",
    source: "bug-reports B40; CONTRACT 2 tools.cancel",
  },
  {
    id: "SHAPE-10",
    sentence:
      "Of a lost server's calls, what went into the pipe may have run, what had not gone did not, and neither is sent again",
    source: "bug-reports B41; DESIGN rule 8; CONTRACT 5 mcp_connection_lost",
  },
  {
    id: "SHAPE-11",
    sentence: "Two servers of one package, and names that could be split in two ways, each reach their own server or are refused",
    source: "bug-reports B18, B19; DESIGN 3.2",
  },
  {
    id: "SHAPE-12",
    sentence: "A server that announces a change whenever it is listed causes no version and no storm of listings",
    source: "bug-reports B21",
  },
  {
    id: "SHAPE-13",
    sentence:
      "Tools that change across a restart of their server or of the daemon are seen as they are, and no older tag runs by the new meaning",
    source: "bug-reports B22; DESIGN rule 8",
  },
  {
    id: "SHAPE-14",
    sentence: "Ten starts with servers that come up in a random order give the same bytes",
    source: "bug-reports B24; DESIGN rule 6",
  },
  {
    id: "SHAPE-15",
    sentence:
      "A list with odd schemas is refused whole with each bad tool named, and no good one is blamed or lost from the report",
    source: "bug-reports B26; DESIGN rule 4; CONTRACT 4 schema_rejected",
  },
  {
    id: "SHAPE-16",
    sentence: "What a server claims of its tools' behaviour changes neither effect, approval, order nor version",
    source: "bug-reports B43; DESIGN rule 3",
  },
  {
    id: "SHAPE-17",
    sentence: "An error result is a tool's error whatever its data look like, and harms neither schema checks nor the connection",
    source: "bug-reports B35; CONTRACT 5",
  },
  {
    id: "SHAPE-18",
    sentence: "Content and structured content arrive as the server wrote them, checked by the schema of the very snapshot",
    source: "bug-reports B36; CONTRACT 5",
  },
  {
    id: "SHAPE-19",
    sentence:
      "A result of any size or number of blocks either arrives whole or is result_too_large with both sizes, and nothing else fails",
    source: "bug-reports B38; CONTRACT 5 result_too_large",
  },
  {
    id: "SHAPE-20",
    sentence: "A web page reaches no route of the daemon, known or unknown, by any of its ways",
    source: "bug-reports B50; CONTRACT 1",
  },
  {
    id: "SHAPE-21",
    sentence: "What a session may not call runs by no route, no spelling, no other session and no older version",
    source: "bug-reports B52; DESIGN rules 3 and 8",
  },
  {
    id: "SHAPE-22",
    sentence: "No secret is in anything the daemon says or writes, whatever fails, plain, encoded or in parts",
    source: "bug-reports B55; DESIGN rule 9; CONTRACT 3",
  },
  {
    id: "SHAPE-23",
    sentence:
      "Whatever a former daemon or a stranger left in the state folder, exactly one daemon starts and no stranger is touched",
    source: "bug-reports B59; DESIGN 3.7, 3.8",
  },
  {
    id: "SHAPE-24",
    sentence:
      "Sessions and watches that their clients abandon in whatever way leave no socket, follower, session or memory behind",
    source: "bug-reports B60; DESIGN 3.5",
  },
  {
    id: "SHAPE-25",
    sentence: "Noise on stdout and floods on stderr are counted and kept short for the person at the machine, and stop nothing",
    source: "bug-reports B9, B11; CONTRACT 4 stdoutNoise, stderrTail",
  },
] as const satisfies readonly Requirement[];
