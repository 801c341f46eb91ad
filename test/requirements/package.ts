import type { Requirement } from "../requirements.ts";

export const packaged = [
  {
    id: "PKG-1",
    sentence: "`npm pack` makes the package from the checkout and leaves the checkout as it was, also when it fails.",
    source: "issue 3, npm pack",
  },
  {
    id: "PKG-2",
    sentence:
      "The package holds what runs, its declarations and its documents: no file of development, no source map, no path of the machine that made it, no link that leads nowhere.",
    source: "issue 3, npm pack",
  },
  {
    id: "PKG-3",
    sentence: "What is bundled is not installed again, its licence travels with it, and nothing that runs is missing.",
    source: "issue 3, npm pack",
  },
  { id: "PKG-4", sentence: "publint finds nothing to say about the package.", source: "issue 3, npm pack" },
  {
    id: "PKG-5",
    sentence:
      "Installed in an empty folder, `npx toolpool` starts, shows and stops a daemon without git, a compiler or a package of development.",
    source: "issue 3, npm pack",
  },
  {
    id: "PKG-6",
    sentence:
      "A program may import what is public and nothing else; the declarations hold under strict settings, and the documented program runs.",
    source: "issue 3, npm pack",
  },
  {
    id: "PKG-7",
    sentence: "Where the database's native part was not built, or for another Node.js, the start says so and what to do.",
    source: "issue 3, npm pack",
  },
] as const satisfies readonly Requirement[];
