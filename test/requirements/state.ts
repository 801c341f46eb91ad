import type { Requirement } from "../requirements.ts";

export const state = [
  { id: "STA-1", sentence: "What is recorded is read back, at once and after the file was opened again.", source: "DESIGN 3.7" },
  {
    id: "STA-2",
    sentence: "One process holds the journal; the operating system frees it with the process, however that ends.",
    source: "DESIGN 3.7; bug-reports B59",
  },
  {
    id: "STA-3",
    sentence: "After a clean close one file is left, readable by its owner alone.",
    source: "CONTRACT 1; DESIGN 3.7",
  },
  {
    id: "STA-4",
    sentence: "A damaged, foreign, newer or unwritable journal is a clear error at the start and never a silent loss later.",
    source: "DESIGN 3.7",
  },
  {
    id: "STA-5",
    sentence: "No version and no connection number is ever given twice, a sudden death included.",
    source: "DESIGN 3.1, 3.4",
  },
  {
    id: "STA-6",
    sentence:
      "Writing a version costs nothing for the tools it does not touch, equal tools are stored once, and many rows cost one write.",
    source: "issue 1 bench snapshot",
  },
  { id: "STA-7", sentence: "Retention drops by age and size, never what is in memory, and ids go on.", source: "DESIGN 3.7" },
  {
    id: "STA-8",
    sentence:
      "The daemon's folder is 0700 and its files 0600, tightened where they are ours and too open, refused where they are not.",
    source: "CONTRACT 1; bug-reports B50",
  },
  {
    id: "STA-9",
    sentence: "Only its owner removes a discovery file, and only the lock's holder makes way for the socket.",
    source: "DESIGN 3.8; bug-reports B59",
  },
  {
    id: "STA-10",
    sentence:
      "The first signal closes, the second destroys, and a fault nobody expected is reported once although stderr is gone.",
    source: "DESIGN 3.8; bug-reports B5",
  },
  {
    id: "STA-11",
    sentence: "A step of closing that fails or hangs never keeps the next from its turn.",
    source: "DESIGN 3.8, 4; style 2.1",
  },
] as const satisfies readonly Requirement[];
