import type { Requirement } from "../requirements.ts";

export const service = [
  {
    id: "SRV-1",
    sentence: "The unit starts exactly the words and variables it was given, whatever characters they hold, and systemd takes it",
    source: "issue 3; bug-reports B56",
  },
  {
    id: "SRV-2",
    sentence: "Failures are restarted, within bounds, a refused configuration is not, and a stop is passed on once",
    source: "issue 3",
  },
  {
    id: "SRV-3",
    sentence: "Nothing is enabled before its file was checked and written, nothing is removed before it was stopped",
    source: "issue 3",
  },
  {
    id: "SRV-4",
    sentence: "A second install changes nothing, and a file that somebody else wrote is left alone without --force",
    source: "issue 3; Bad input",
  },
  {
    id: "SRV-5",
    sentence: "A daemon that was started by hand is not fought: install says which one runs and how to end it",
    source: "issue 3; bug-reports B59",
  },
  {
    id: "SRV-6",
    sentence: "Where no user instance answers, the file is written and checked, and it is said what was not done and what to run",
    source: "issue 3",
  },
  { id: "SRV-7", sentence: "Uninstall stops, disables and removes our file and no other", source: "issue 3" },
  {
    id: "SRV-8",
    sentence:
      "Status tells whether it is installed, enabled and active, by which file, and how that differs from what would be written now",
    source: "issue 3; bug-reports B59",
  },
  {
    id: "SRV-9",
    sentence: "On macOS the agent is a sound property list that launchd loads, replaces and unloads in order",
    source: "issue 3",
  },
  {
    id: "SRV-10",
    sentence:
      "The service has a lasting PATH and the variables of a file for its owner alone; what it would lack is named before it starts",
    source: "issue 3; bug-reports B56, B55",
  },
  {
    id: "SRV-11",
    sentence: "Every mistake and every platform without a starter we know is one sentence and what to do",
    source: "CONTRACT 6; issue 3",
  },
] as const satisfies readonly Requirement[];
