import type { Requirement } from "../requirements.ts";

export const page = [
  {
    id: "PAGE-1",
    sentence:
      "The page fits the terminal: no line is wider, every server is there with its state and every failure with its next step, whatever is in it.",
    source: "issue 3, status; bug-reports B56",
  },
  {
    id: "PAGE-2",
    sentence: "A state is told by a sign and a word; without colours nothing is lost and no colour is written.",
    source: "issue 3, status",
  },
  {
    id: "PAGE-3",
    sentence: "What has no room is left out in an order that keeps trouble, and is counted.",
    source: "issue 3, status --watch",
  },
  {
    id: "PAGE-4",
    sentence: "Text is measured as a terminal shows it: wide characters, emoji and combining marks shift no column.",
    source: "issue 3, status",
  },
  {
    id: "PAGE-5",
    sentence: "`status --watch` draws in place, only what changed, at once at a new version, in any size and after a resize.",
    source: "issue 3, status --watch",
  },
  {
    id: "PAGE-6",
    sentence: "`status --watch` goes on over a restart of the daemon, and while there is none it says so.",
    source: "issue 3, status --watch; bug-reports B59",
  },
  {
    id: "PAGE-7",
    sentence: "However `status --watch` ends, the terminal is as it was: what stood there, the cursor, the echo of keys.",
    source: "issue 3, status --watch",
  },
  {
    id: "PAGE-8",
    sentence: "Without a terminal `status --watch` is refused with the way out, and with `--json` prints one line a change.",
    source: "CONTRACT 6; issue 3",
  },
  {
    id: "PAGE-9",
    sentence: "A server's calls of the last minute are counted in bounded memory, without a timer.",
    source: "issue 3, status",
  },
  {
    id: "PAGE-10",
    sentence:
      "On request the memory of a server's whole process tree is told, for each connection, and nobody else's; where it is unknown it is absent.",
    source: "issue 3, status",
  },
] as const satisfies readonly Requirement[];
