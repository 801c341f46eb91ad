import type { Requirement } from "../requirements.ts";

const LOADING = "CONTRACT 3";

export const config = [
  {
    id: "CFG-1",
    sentence:
      "A configuration is one JSON file, comments and trailing commas allowed; what it leaves out takes the documented default.",
    source: LOADING,
  },
  {
    id: "CFG-2",
    sentence: "A file that cannot be read as text is refused with a sentence that says why and what to do.",
    source: "issue 2; CONTRACT 3",
  },
  {
    id: "CFG-3",
    sentence: "A syntax error is told with its line and column, and never quotes the text.",
    source: "bug-reports B55; CONTRACT 3",
  },
  {
    id: "CFG-4",
    sentence: "A fault at the top of the file refuses the file, with a JSON Pointer and the nearest known key.",
    source: LOADING,
  },
  {
    id: "CFG-5",
    sentence:
      "A fault inside a server's entry makes that server invalid, with every fault found and its place, and leaves the others alone.",
    source: LOADING,
  },
  {
    id: "CFG-6",
    sentence: "A key that stands twice is an error of the file or of the server it belongs to, never a silent choice.",
    source: LOADING,
  },
  {
    id: "CFG-7",
    sentence: "A name that is no alias is listed as an invalid server; a name such as __proto__ is data.",
    source: "DESIGN rule 1; CONTRACT 3",
  },
  {
    id: "CFG-8",
    sentence: "Variables expand by one grammar in every field, once; one that is not set is an error of that server, naming it.",
    source: "bug-reports B56; CONTRACT 3",
  },
  { id: "CFG-9", sentence: "The policy of each tool is read exactly, and a slip in it is an error.", source: LOADING },
  {
    id: "CFG-10",
    sentence: "Relative paths start at the configuration file's folder; arguments are passed as they are.",
    source: "bug-reports B56; CONTRACT 3",
  },
  { id: "CFG-11", sentence: "A kind of server this release does not run is told as such.", source: LOADING },
  {
    id: "CFG-12",
    sentence:
      "The digest of a server changes with everything that matters to a running connection, expanded values too, and with nothing else.",
    source: "bug-reports B54; CONTRACT 2 config.reload",
  },
  { id: "CFG-13", sentence: "A loaded configuration is frozen.", source: "DESIGN 4.5" },
  {
    id: "CFG-14",
    sentence: "No value of a variable, argument or environment is ever in an issue or in what check reports.",
    source: "bug-reports B55; CONTRACT 3",
  },
  {
    id: "CFG-15",
    sentence: "State and configuration are where the environment says, else in the platform's folders.",
    source: "CONTRACT 1",
  },
  {
    id: "CFG-16",
    sentence: "The socket is in the state folder, or at a short path that follows from it where that would be too long.",
    source: "bug-reports B59; CONTRACT 1",
  },
  {
    id: "CFG-17",
    sentence: "check tells every server, its faults and its tools by effect, and warns of names that admission would refuse.",
    source: "CONTRACT 6; DESIGN 3.2",
  },
  { id: "CFG-18", sentence: "No text, however broken, makes the loader throw.", source: "issue 2" },
] as const satisfies readonly Requirement[];
