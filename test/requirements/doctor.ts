import type { Requirement } from "../requirements.ts";

export const doctor = [
  {
    id: "DOC-1",
    sentence:
      "`toolpool doctor` ends with 0 when there is no error (warnings allowed), else with 1; every finding has a sentence, whatever is not as it should be a command; JSON for programs, a page for people.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-2",
    sentence: "Node.js is held against what the package needs, and the database's native part is loaded where it can do no harm.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-3",
    sentence: "The state folder and its files: settings, kind, owner, modes, socket, token, journal, free space.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-4",
    sentence:
      "What a daemon or a writer that is gone has left is found, and removed by --fix only where it is proven to be nobody's; a living one is never harmed.",
    source: "bug-reports B59; issue 3, doctor",
  },
  {
    id: "DOC-5",
    sentence:
      "The configuration: everything `check` says, every unset variable by name, who may write it, and whether the daemon has read the same.",
    source: "bug-reports B56; issue 3, doctor",
  },
  {
    id: "DOC-6",
    sentence:
      "The command of every server is looked for as its child would find it, with the folders looked in; unpinned packages are named.",
    source: "bug-reports B56; issue 3, doctor",
  },
  {
    id: "DOC-7",
    sentence:
      "A server that failed is shown with what was found and the end of its stderr; --start tries the reviewed ones and gives them back.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-8",
    sentence: "Unreviewed, drifted and unpinned servers, and pins without a server, are told with the review that mends them.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-9",
    sentence:
      "Which daemon answers, whether it is of another version or contract, silent or hanging, and which others run; none is ever ended.",
    source: "bug-reports B59; issue 3, doctor",
  },
  {
    id: "DOC-10",
    sentence:
      "Servers that an earlier daemon left, and copies that others started, are told with pid and memory, and left alone.",
    source: "bug-reports B2; issue 3, doctor",
  },
  {
    id: "DOC-11",
    sentence: "Other programs whose settings still start a server of the pool are named with file and line.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-12",
    sentence: "A service file that starts what is gone, or something else than this program, is told.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-13",
    sentence: "No output holds a secret: not of the configuration, not of a variable, not of what a server wrote.",
    source: "bug-reports B55; issue 3, doctor",
  },
  {
    id: "DOC-14",
    sentence: "Nothing is started without --start, and nothing unreviewed ever; without --fix nothing is changed.",
    source: "bug-reports B54; issue 3, doctor",
  },
  {
    id: "DOC-15",
    sentence:
      "With everything broken at once it still says all of it; a look that takes too long is a finding and ends no other.",
    source: "issue 3, doctor",
  },
  {
    id: "DOC-16",
    sentence: "Every kind of finding is provoked by a test, shown absent by another, and documented.",
    source: "issue 3, doctor",
  },
] as const satisfies readonly Requirement[];
