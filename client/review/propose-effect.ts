// What effect a tool is proposed to have, from what its server says of it. All of that is the server's own word, so it may only
// make the proposal stricter: a hint, a description or an argument never lowers it, and what is unknown is `write`. One thing a
// server says is needed to propose `read` at all: a name that plainly only looks, with nothing else it says against it. That is
// why such a proposal says that it is to be checked, and why a proposal is never taken for a decision.
import { isJsonObject, type JsonValue } from "../../daemon/contract/index.ts";
import { visible } from "../output/visible.ts";
import { claimsIn } from "./effect-claims.ts";
import {
  ADDRESS_ARGUMENT,
  CHANGE,
  CHANGE_OR_NOUN,
  CHOOSING_ARGUMENT,
  LOOK,
  OTHER_VERBS,
  PROGRAM_ARGUMENT,
  REACH,
  REACH_OR_NOUN,
  STATEMENT_ARGUMENT,
} from "./effect-words.ts";
import type { Proposal, ReviewTool } from "./types.ts";
import { wordsOf } from "./words.ts";

/** Refusals that another local name mends. */
const NAME_CODES = new Set(["name_rejected", "name_collision"]);

export function isNameRefusal({ code }: { readonly code: string }): boolean {
  return NAME_CODES.has(code);
}

export function proposeEffect(tool: ReviewTool): Proposal {
  const refusal = tool.refusals.find((one) => !isNameRefusal(one));
  if (refusal !== undefined)
    return { effect: "hidden", why: `it cannot be exposed: ${visible(refusal.pointer)} ${visible(refusal.message)}` };
  const reasons = reasonsOf(tool);
  const strictest = reasons.find(({ effect }) => effect === "external") ?? reasons[0];
  if (strictest !== undefined) return strictest;
  const look = wordsOf(tool.name).find((word) => LOOK.has(word));
  if (look === undefined) return { effect: "write", why: "nothing says that it only looks" };
  return { effect: "read", why: `"${look}" in its name only looks (the server's own words: check it)` };
}

/** Everything that speaks against `read`, the first of each effect being the one to tell. */
function reasonsOf(tool: ReviewTool): readonly Proposal[] {
  const titles = [tool.title, tool.annotations?.title].filter((title) => typeof title === "string");
  return [
    ...nameReasons(wordsOf(tool.name), "its name"),
    ...hintReasons(tool.annotations ?? {}),
    ...argumentReasons(tool.inputSchema),
    ...titles.flatMap((title) => nameReasons(wordsOf(title), "its title", false)),
    ...claimsIn(tool.description),
  ];
}

const JOINS = new Set(["and", "or", "then"]);

/** `whole`: all of its words must be understood to only look. */
function nameReasons(words: readonly string[], where: string, whole = true): readonly Proposal[] {
  const looksAt = words.findIndex((word) => LOOK.has(word));
  return words.flatMap((word, at): readonly Proposal[] => {
    const afterLook = looksAt !== -1 && at > looksAt;
    if (REACH.has(word) || (REACH_OR_NOUN.has(word) && whole && !afterLook))
      return [external(`"${word}" in ${where} reaches outside this machine or starts something`)];
    if (CHANGE.has(word) && !(afterLook && CHANGE_OR_NOUN.has(word))) return [write(`"${word}" in ${where} changes something`)];
    // `validate_and_optimize`: the second verb counts as much as the first.
    const second = JOINS.has(words[at - 1] ?? "") && LOOK.has(words[at - 2] ?? "") && !LOOK.has(word);
    if (second || (whole && looksAt !== -1 && at < looksAt && OTHER_VERBS.has(word)))
      return [write(`"${word}" in ${where} does more than look`)];
    return [];
  });
}

/** A hint that is no boolean is read as the stricter one. */
function hintReasons({ readOnlyHint, destructiveHint, openWorldHint }: Readonly<Record<string, unknown>>): readonly Proposal[] {
  const given = (hint: unknown): boolean => hint !== undefined && hint !== null;
  return [
    ...(given(openWorldHint) && openWorldHint !== false ? [external("the server says it reaches into an open world")] : []),
    ...(given(destructiveHint) && destructiveHint !== false ? [write("the server says it may destroy something")] : []),
    ...(given(readOnlyHint) && readOnlyHint !== true ? [write("the server says it does not only read")] : []),
  ];
}

/** More arguments, or choices of one, are not looked at one by one. */
const MOST_ARGUMENTS = 1_000;
const MOST_CHOICES = 200;

function argumentReasons(schema: JsonValue): readonly Proposal[] {
  const properties = isJsonObject(schema) && isJsonObject(schema.properties ?? null) ? schema.properties : {};
  return Object.entries(properties as Readonly<Record<string, JsonValue>>)
    .slice(0, MOST_ARGUMENTS)
    .flatMap(([name, property]) => [...nameOfArgument(name), ...choiceReasons(name, property)]);
}

function nameOfArgument(name: string): readonly Proposal[] {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const shown = visible(name.slice(0, 40));
  if (ADDRESS_ARGUMENT.has(last)) return [external(`its argument "${shown}" can lead anywhere`)];
  // `country_code` and `page_script` are something else.
  if (words.length === 1 && PROGRAM_ARGUMENT.has(last)) return [external(`its argument "${shown}" may be run`)];
  if (STATEMENT_ARGUMENT.has(last)) return [write(`its argument "${shown}" can change anything`)];
  return [];
}

/** `action: "list" | "delete"`: what one of the choices does, the tool does. */
function choiceReasons(name: string, property: JsonValue): readonly Proposal[] {
  const last = wordsOf(name).at(-1) ?? "";
  if (!CHOOSING_ARGUMENT.has(last) || !isJsonObject(property) || !Array.isArray(property.enum)) return [];
  const choices = (property.enum as readonly JsonValue[]).slice(0, MOST_CHOICES).filter((choice) => typeof choice === "string");
  return choices.flatMap((choice) => nameReasons(wordsOf(choice), `a choice of "${visible(name.slice(0, 40))}"`, false));
}

const write = (why: string): Proposal => ({ effect: "write", why });
const external = (why: string): Proposal => ({ effect: "external", why });
