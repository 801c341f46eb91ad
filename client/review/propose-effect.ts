// A first guess at a tool's effect, for a person to confirm. All it reads was written by the server, so what the server says may
// only make the guess stricter: a name that plainly looks is the one thing that suggests `read`, and any contradiction (another
// word of the name, a hint, the description, an argument) takes it back. What says nothing is `write`. Order of strictness:
// read, write, external, hidden.
import { isJsonObject, type JsonValue } from "../../daemon/contract/index.ts";
import type { Proposal, ReviewTool } from "./types.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const LOOKS = words(
  "get list read search find describe show view lookup count inspect explain display retrieve summarize check compare info status peek head stat tree ls cat grep glob whoami help ping echo",
);
const CHANGES = words(
  `create update delete set add write move edit remove insert upsert replace append rename copy patch put modify change save store
   clear reset drop truncate merge commit push close open archive restore enable disable assign unassign approve reject cancel
   complete finish start stop pause resume attach detach import link unlink lock unlock grant revoke schedule mark toggle apply
   revert rollback transfer import sync migrate register unregister submit click type press fill drag upload select destroy purge`,
);
const REACHES = words(
  `send publish tweet notify invite upload browse navigate crawl scrape download execute exec eval deploy purchase install spawn
   subscribe unsubscribe broadcast dispatch trigger invoke terminate kill shutdown reboot fetch`,
);
/** Nouns in the middle of a name, verbs at its head. */
const REACHES_FIRST = words("run call post mail email message request share order pay charge web http url open goto visit");
const REACHING_ARGUMENTS = words(
  "url urls uri href webhook command cmd script code javascript shell recipient recipients to_email",
);
const CHANGING_ARGUMENTS = words("sql statement mutation");
const SAYS_CHANGES =
  /^\W*(?:this (?:tool|function) )?(?:creates?|updates?|deletes?|writes?|modif(?:y|ies)|removes?|overwrites?|replaces?|inserts?|edits?|moves?|sets?|adds?)\b|\b(?:overwrit(?:e|es|ten)|irreversibl[ey]|permanently|destructive)\b/i;
const SAYS_REACHES =
  /^\W*(?:this (?:tool|function) )?(?:sends?|executes?|runs?|publish(?:es)?|posts?|uploads?|navigates?|opens?|downloads?|deploys?)\b/i;
/** A description's head tells what it does; what comes after 4 KiB is not a head. */
const HEAD = 4_096;

export function proposeEffect(tool: ReviewTool): Proposal {
  const refusal = tool.refusals.find(({ code }) => code !== "name_rejected" && code !== "name_collision");
  if (refusal !== undefined) return { effect: "hidden", why: `it cannot be exposed: ${refusal.pointer} ${refusal.message}` };
  const parts = wordsOf(tool.name);
  return reaching(tool, parts) ?? changing(tool, parts) ?? looking(parts);
}

function reaching({ description, annotations, inputSchema }: ReviewTool, parts: readonly string[]): Proposal | undefined {
  const said = parts.find((part) => REACHES.has(part)) ?? parts.slice(0, 1).find((part) => REACHES_FIRST.has(part));
  const why = (sentence: string): Proposal => ({ effect: "external", why: sentence });
  if (said !== undefined) return why(`"${said}" in its name reaches outside this machine or starts something`);
  if (annotations?.openWorldHint === true) return why("the server says it reaches into an open world");
  const argument = argumentsOf(inputSchema).find((name) => REACHING_ARGUMENTS.has(name));
  if (argument !== undefined) return why(`its argument "${argument}" can lead anywhere`);
  return SAYS_REACHES.test(description.slice(0, HEAD))
    ? why("its description says that it sends, runs or opens something")
    : undefined;
}

function changing({ description, annotations, inputSchema }: ReviewTool, parts: readonly string[]): Proposal | undefined {
  const said = parts.find((part) => CHANGES.has(part));
  const why = (sentence: string): Proposal => ({ effect: "write", why: sentence });
  if (said !== undefined) return why(`"${said}" in its name changes something`);
  if (annotations?.destructiveHint === true) return why("the server says it may destroy something");
  if (annotations?.readOnlyHint === false) return why("the server says it does not only read");
  const argument = argumentsOf(inputSchema).find((name) => CHANGING_ARGUMENTS.has(name));
  if (argument !== undefined) return why(`its argument "${argument}" can change anything`);
  return SAYS_CHANGES.test(description.slice(0, HEAD)) ? why("its description says that it changes something") : undefined;
}

function looking(parts: readonly string[]): Proposal {
  const said = parts.slice(0, 2).find((part) => LOOKS.has(part));
  if (said === undefined) return { effect: "write", why: "nothing says that it only looks" };
  return {
    effect: "read",
    why: `"${said}" in its name only looks (the server's own words: check it)`,
  };
}

/** `getUserByID`, `get-user`, `API-get-user` → get, user, by, id. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, HEAD)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "" && part !== "api" && part !== "mcp");
}

function argumentsOf(schema: JsonValue): readonly string[] {
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  if (properties === undefined || !isJsonObject(properties)) return [];
  return Object.keys(properties).flatMap((name) => [name.toLowerCase(), ...wordsOf(name).slice(-1)]);
}
