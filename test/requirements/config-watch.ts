import type { Requirement } from "../requirements.ts";

export const configWatch = [
  {
    id: "CFW-1",
    sentence:
      "A saved configuration is taken without a restart, however it is saved: in place, renamed over, through links that are turned, removed and made again",
    source: "issue 3",
  },
  {
    id: "CFW-2",
    sentence:
      "A file that is half written or cannot be read leaves the last good configuration in force, and status and log say so",
    source: "issue 3, bad input",
  },
  {
    id: "CFW-3",
    sentence:
      "Only servers whose definition changed are touched, each in one version; comments, order and layout touch nothing; a removed one is withdrawn and closed",
    source: "issue 3",
  },
  {
    id: "CFW-4",
    sentence: "A storm of saves is a bounded number of readings, and the last content wins",
    source: "issue 3; DESIGN 4.5",
  },
  {
    id: "CFW-5",
    sentence: "The watch keeps nothing alive, and a change during the close changes nothing",
    source: "DESIGN 1.10",
  },
  {
    id: "CFW-6",
    sentence: "Where the system will not watch, it is said with the remedy, and the files are looked at slowly instead",
    source: "issue 3; bug-reports B59",
  },
] as const satisfies readonly Requirement[];
