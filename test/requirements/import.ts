import type { Requirement } from "../requirements.ts";

const ISSUE = "issue 3";

export const imports = [
  {
    id: "EDT-1",
    sentence: "Setting a member changes that member and nothing else: order, comments, line ends and every other byte stay",
    source: "issue 3 bad input",
  },
  {
    id: "EDT-2",
    sentence: "Removing a member removes it and its comma alone; comments beside it stay",
    source: "issue 3 bad input",
  },
  {
    id: "EDT-3",
    sentence: "What is written new is laid out as the file is: indentation, line ends, one line or many",
    source: ISSUE,
  },
  { id: "EDT-4", sentence: "A comment is put above a member, and nothing else moves", source: ISSUE },
  {
    id: "EDT-5",
    sentence: "A file is written whole or not at all, with its mode, its byte order mark and through its symbolic link",
    source: "issue 3 bad input",
  },
  {
    id: "EDT-6",
    sentence: "One program at a time edits a configuration; one that died blocks nobody for ever",
    source: "issue 3 bad input; bug-reports B59",
  },
  {
    id: "EDT-7",
    sentence: "Of a large file only the asked parts are built, with their places; a fault anywhere in it is told with its place",
    source: "issue 3 bad input",
  },
  {
    id: "IMP-1",
    sentence:
      "`init` writes a commented configuration that is sound and runs, for its owner only, and never touches one that is there",
    source: ISSUE,
  },
  { id: "IMP-2", sentence: "A name becomes an alias by one rule, and the same one always", source: ISSUE },
  { id: "IMP-3", sentence: "Every host is looked for where it keeps its servers, on each platform", source: ISSUE },
  { id: "IMP-4", sentence: "The shape of every host is read, also from a file that is named by hand", source: ISSUE },
  {
    id: "IMP-5",
    sentence: "Each host's variables become ours; what only the host knows is named, and what cannot be written is refused",
    source: "issue 3; bug-reports B56",
  },
  {
    id: "IMP-6",
    sentence: "Identical launches are offered once with all their places, and one that is configured is `already there`",
    source: ISSUE,
  },
  { id: "IMP-7", sentence: "Names that clash are shown and refused or asked about, never renamed in silence", source: ISSUE },
  {
    id: "IMP-8",
    sentence: "Secrets in arguments and variables are found by name and by shape; paths, packages and references are not secrets",
    source: "issue 3; bug-reports B55",
  },
  {
    id: "IMP-9",
    sentence:
      "No secret that was found is in any output; it becomes a variable whose name is told, or stays inline when that is asked for",
    source: "issue 3; bug-reports B55",
  },
  {
    id: "IMP-10",
    sentence: "A file or an entry that cannot be read is told with file, line and column, and everything else is offered still",
    source: "issue 3 bad input",
  },
  {
    id: "IMP-11",
    sentence: "Import starts nothing, and the files it reads stay as they are to the byte and the time",
    source: "bug-reports B54; issue 3",
  },
  {
    id: "IMP-12",
    sentence: "At a terminal a person chooses, settles clashes and secrets, sees the change and confirms it",
    source: ISSUE,
  },
  {
    id: "IMP-13",
    sentence: "Without a terminal nothing is added that was not named, and --dry-run writes nothing",
    source: ISSUE,
  },
  {
    id: "IMP-14",
    sentence:
      "Two imports at once lose nothing, and our configuration keeps its comments, its mode and everything that was in it",
    source: "issue 3 bad input",
  },
  { id: "IMP-15", sentence: "An imported server is unreviewed: it cannot be connected", source: "issue 3; DESIGN 1.4" },
] as const satisfies readonly Requirement[];
