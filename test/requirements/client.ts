import type { Requirement } from "../requirements.ts";

export const client = [
  {
    id: "LEAD-1",
    sentence: "Every missing or wrong model setting is reported at once; a scripted model needs nothing but its file",
    source: "CONTRACT 6; issue 2 Client",
  },
  {
    id: "LEAD-2",
    sentence:
      "Both OpenAI APIs give the same replies, put together from their streams however the pieces are cut, with how they ended",
    source: "issue 2 Client (finish_reason, incomplete)",
  },
  {
    id: "LEAD-3",
    sentence:
      "A provider's failure is one sentence by its kind, without a stack and without the key; a broken stream is a failure",
    source: "issue 2 Client",
  },
  {
    id: "LEAD-4",
    sentence: "Tools are projected for the provider: what cannot be shown is left out and said so, nothing is dropped silently",
    source: "corpus 7; bug-reports B28, B32; issue 2 Client",
  },
  {
    id: "LEAD-5",
    sentence:
      "The projection never requires or forbids a property that the admitted schema does not, and never touches that schema",
    source: "corpus 7; bug-reports B28; DESIGN 3.2",
  },
  {
    id: "LEAD-6",
    sentence: "Equal tools are sent as equal bytes, request after request and run after run",
    source: "DESIGN rule 6; bug-reports B24",
  },
  {
    id: "LEAD-7",
    sentence:
      "Before each model request one snapshot is taken, and every call of the reply is tagged with its version, also those of unknown names",
    source: "DESIGN rules 7 and 8; issue 2 Client",
  },
  {
    id: "LEAD-8",
    sentence: "Neighbouring read calls run at the same time and all others alone; results come back in the order of the calls",
    source: "DESIGN rule 3; bug-reports B43; issue 2 Client",
  },
  {
    id: "LEAD-9",
    sentence: "An error outcome is shown as `Error [code]: message` with its details, an ok outcome as its own JSON text",
    source: "CONTRACT 5",
  },
  {
    id: "LEAD-10",
    sentence: "Arguments that are no JSON object never leave, and no call of a reply that was cut off is run",
    source: "issue 2 Client",
  },
  {
    id: "LEAD-11",
    sentence: "A run ends when the model is done, refuses or is filtered, or when its budget of steps or tokens is used up",
    source: "issue 2 Client (step and token budget)",
  },
  {
    id: "LEAD-12",
    sentence: "An abort cancels the calls under way at the daemon, waits for their end, and ends the run as interrupted",
    source: "bug-reports B40; issue 2 Client",
  },
  {
    id: "LEAD-13",
    sentence: "A lost daemon or session ends the run with a clear failure, and no call is sent again",
    source: "DESIGN rule 8; bug-reports B41",
  },
  {
    id: "LEAD-14",
    sentence: "A result too large for a conversation is shortened and says so, with encoded data left out first",
    source: "bug-reports B38",
  },
  {
    id: "LEAD-15",
    sentence:
      "Permission looks at source and effect only: read is allowed, write and external ask, and what is denied is never sent",
    source: "DESIGN rule 3; bug-reports B43, B52; issue 2 Client",
  },
  {
    id: "LEAD-16",
    sentence: "The question shows tool, effect and arguments with hidden characters visible; without a terminal the answer is no",
    source: "issue 2 Client",
  },
  {
    id: "LEAD-17",
    sentence: "A call the daemon asks approval for is repeated once with the decision, and nobody is asked twice for one call",
    source: "CONTRACT 5 approval_required",
  },
  {
    id: "LEAD-18",
    sentence: "File tools stay inside the working directory whatever path or link they are given, and write whole or not at all",
    source: "issue 2 Client",
  },
  {
    id: "LEAD-19",
    sentence: "The shell ends with its time limit or the abort, together with everything it started, and its output is bounded",
    source: "issue 2 Client",
  },
  {
    id: "LEAD-20",
    sentence:
      "Subagents and teammates get the reading tools and sessions of their own under the lead's, which are closed after; the pool shows them nothing",
    source: "DESIGN 3.5; issue 2 finding 8",
  },
  {
    id: "LEAD-21",
    sentence: "A scripted model answers from its script alone, and says clearly when the script is wrong or has run out",
    source: "CONTRACT 6",
  },
  {
    id: "LEAD-22",
    sentence: "The demo proves its nine findings from what happened and leaves nothing, also when it is interrupted",
    source: "issue 2 What a user does",
  },
] as const satisfies readonly Requirement[];
