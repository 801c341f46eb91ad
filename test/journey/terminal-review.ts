// The same review by a person at a terminal: what starts the server is read and allowed, the effect is chosen with a key, the change
// of the configuration is read and saved.
import { KEYS, TestTerminal } from "../support/terminal.ts";
import { TOOLPOOL, type Place } from "./place.ts";
import { look, type Reviewed } from "./review-step.ts";

/** F1: everything that is shown only reads. */
const ALL_READ = "\u001bOP";

/** For a server with one tool, which only reads. */
export async function reviewAtTerminal(place: Place, alias: string): Promise<Reviewed> {
  const begun = performance.now();
  const terminal = new TestTerminal([process.execPath, TOOLPOOL, "review", alias], { env: place.env, cwd: place.project });
  try {
    await terminal.until(/Start it in quarantine/);
    terminal.type("y", KEYS.enter);
    await terminal.until(/What may each tool/);
    terminal.type(ALL_READ);
    await terminal.until(/> read /);
    terminal.type(KEYS.enter);
    await terminal.until(/Save the policy/);
    terminal.type("y", KEYS.enter);
    const code = await terminal.ended;
    const ms = Math.round(performance.now() - begun);
    const saved = code === 0 && terminal.text.includes("is reviewed");
    return { ...(await look(place, alias)), by: "person", saved, said: saved ? "" : terminal.text, ms };
  } finally {
    await terminal.close();
  }
}
