// Turns a validator's errors into issues: a pointer into the value and a sentence of ours. Neither values nor schema text get in,
// only facts of keywords (types, limits, names of asserted formats) and names of properties.
import type { DefinedError, ErrorObject } from "ajv";
import { MAX_ISSUES, type Issue } from "../contract/index.ts";
import { joinPointer } from "./json-pointer.ts";

/** Characters; a longer pointer is cut back to the nearest place around it. */
const LONGEST_POINTER = 512;

/** At most MAX_ISSUES, each said once, in the order found. */
export function issuesOf(errors: readonly ErrorObject[]): readonly Issue[] {
  const choices = choicesOf(errors);
  const found = new Map<string, Issue>();
  for (const error of errors) {
    // Branches of a choice that only differ in type are one sentence, said by the choice.
    if (error.keyword === "type" && choices.get(error.instancePath)?.onlyTypes === true) continue;
    const issue = issueOf(error as DefinedError, choices);
    if (issue === undefined) continue;
    const short = { pointer: shorten(issue.pointer), message: issue.message };
    found.set(`${short.pointer} ${short.message}`, short);
    if (found.size === MAX_ISSUES) break;
  }
  return Object.freeze([...found.values()].map((issue) => Object.freeze(issue)));
}

interface Choice {
  readonly types: Set<string>;
  onlyTypes: boolean;
}

/** What was offered where a value matched no branch of an `anyOf` or `oneOf`. */
function choicesOf(errors: readonly ErrorObject[]): ReadonlyMap<string, Choice> {
  const choices = new Map<string, Choice>();
  for (const { keyword, instancePath } of errors)
    if (keyword === "anyOf" || keyword === "oneOf") choices.set(instancePath, { types: new Set(), onlyTypes: true });
  if (choices.size === 0) return choices;
  for (const { keyword, instancePath, params } of errors) {
    const choice = choices.get(instancePath);
    if (choice === undefined || keyword === "anyOf" || keyword === "oneOf") continue;
    if (keyword === "type") for (const type of typesOf(params)) choice.types.add(type);
    else choice.onlyTypes = false;
  }
  for (const choice of choices.values()) if (choice.types.size === 0) choice.onlyTypes = false;
  return choices;
}

function typesOf(params: Readonly<Record<string, unknown>>): readonly string[] {
  const type = params.type;
  return (Array.isArray(type) ? type : [type]).filter((name): name is string => typeof name === "string");
}

function issueOf(error: DefinedError, choices: ReadonlyMap<string, Choice>): Issue | undefined {
  const at = error.instancePath;
  // Found while a property's name was judged: said by `propertyNames` itself.
  if (error.propertyName !== undefined) return undefined;
  const keyword: string = error.keyword;
  const params = error.params as Readonly<Record<string, unknown>>;
  const here = (message: string): Issue => ({ pointer: at, message });
  const member = (name: unknown, message: string): Issue => ({ pointer: joinPointer(at, String(name)), message });
  const limit = String(params.limit);
  switch (keyword) {
    case "type":
      return here(`must be ${typesOf(params).join(" or ")}`);
    case "required":
      return member(params.missingProperty, "is required");
    case "dependentRequired":
    case "dependencies":
      return member(params.missingProperty, "is required beside another property that is given");
    case "additionalProperties":
      return member(params.additionalProperty, "is not allowed");
    case "unevaluatedProperties":
      return member(params.unevaluatedProperty, "is not allowed");
    case "propertyNames":
      return member(params.propertyName, "has a name that is not allowed");
    case "additionalItems":
    case "items":
      return here(`must not have more than ${limit} items`);
    case "unevaluatedItems":
      return here(`must not have more than ${String(params.len)} items`);
    case "maxItems":
      return here(`must not have more than ${limit} items`);
    case "minItems":
      return here(`must not have fewer than ${limit} items`);
    case "maxLength":
      return here(`must not be longer than ${limit} characters`);
    case "minLength":
      return here(`must not be shorter than ${limit} characters`);
    case "maxProperties":
      return here(`must not have more than ${limit} properties`);
    case "minProperties":
      return here(`must not have fewer than ${limit} properties`);
    case "maximum":
    case "minimum":
    case "exclusiveMaximum":
    case "exclusiveMinimum":
      return here(`must be ${String(params.comparison)} ${limit}`);
    case "multipleOf":
      return here(`must be a multiple of ${String(params.multipleOf)}`);
    case "contains":
      return here(containsMessage(params.minContains, params.maxContains));
    case "enum":
      return here("must be one of the allowed values");
    case "const":
      return here("must be the one allowed value");
    case "format":
      return here(`must match the format "${String(params.format)}"`);
    case "pattern":
      return here("must match the pattern of the schema");
    case "uniqueItems":
      return here("must not have the same item twice");
    case "false schema":
      return here("is not allowed");
    case "not":
      return here("must not have a form that the schema excludes");
    case "anyOf":
      return here(choiceMessage(choices.get(at)) ?? "must have one of the allowed forms");
    case "oneOf":
      if (Array.isArray(params.passingSchemas)) return here("must have exactly one of the allowed forms, but has several");
      return here(choiceMessage(choices.get(at)) ?? "must have exactly one of the allowed forms");
    // What the branch found is said by itself.
    case "if":
      return undefined;
    default:
      return here("does not match the schema");
  }
}

function choiceMessage(choice: Choice | undefined): string | undefined {
  return choice?.onlyTypes === true ? `must be ${[...choice.types].join(" or ")}` : undefined;
}

function containsMessage(least: unknown, most: unknown): string {
  const upper = typeof most === "number" ? ` and at most ${most}` : "";
  return `must have at least ${typeof least === "number" ? least : 1}${upper} items of a form that the schema names`;
}

function shorten(pointer: string): string {
  let short = pointer;
  while (short.length > LONGEST_POINTER) short = short.slice(0, short.lastIndexOf("/"));
  return short;
}
