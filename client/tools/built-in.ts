// A tool of the agent's own. One definition of its parameters gives both the schema the model sees and the check of what it
// sends; nothing is coerced and unknown members are refused, as with the pool's tools.
import { isJsonObject, type Effect, type JsonObject, type JsonValue } from "../../daemon/contract/index.ts";

export interface ToolContext {
  readonly signal: AbortSignal;
}

export interface BuiltInTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly effect: Effect;
  /** Resolves with text for the model. Rejects with ToolProblem, or with the signal's reason. */
  run(args: JsonObject, context: ToolContext): Promise<string>;
}

/** What a model is told when its call did not work. `lines` are details. */
export class ToolProblem extends Error {
  override readonly name = "ToolProblem";
  readonly code: string;
  readonly lines: readonly string[];

  constructor(code: string, message: string, lines: readonly string[] = []) {
    super(message);
    this.code = code;
    this.lines = lines;
  }
}

export interface Parameter<T> {
  readonly schema: JsonObject;
  readonly required: boolean;
  /** What is wrong with it, in a sentence's second half. */
  readonly complaint: string;
  readonly accepts: (value: JsonValue) => value is T & JsonValue;
  readonly absent: T | undefined;
}

type Parameters = Readonly<Record<string, Parameter<JsonValue | undefined>>>;
type Values<P extends Parameters> = { readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

export const text = (description: string): Parameter<string> => ({
  schema: { type: "string", description },
  required: true,
  complaint: "must be a string",
  accepts: (value) => typeof value === "string",
  absent: undefined,
});

export const optionalText = (description: string): Parameter<string | undefined> => ({
  ...text(description),
  required: false,
  absent: undefined,
});

export const flag = (description: string): Parameter<boolean> => ({
  schema: { type: "boolean", description },
  required: false,
  complaint: "must be true or false",
  accepts: (value) => typeof value === "boolean",
  absent: false,
});

export const wholeNumber = (
  description: string,
  { minimum, maximum, absent }: { readonly minimum: number; readonly maximum: number; readonly absent: number },
): Parameter<number> => ({
  schema: { type: "integer", description, minimum, maximum },
  required: false,
  complaint: `must be a whole number from ${String(minimum)} to ${String(maximum)}`,
  accepts: (value): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum,
  absent,
});

export function defineTool<P extends Parameters>(definition: {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly parameters: P;
  readonly run: (values: Values<P>, context: ToolContext) => Promise<string>;
}): BuiltInTool {
  const { name, description, effect, parameters } = definition;
  const entries = Object.entries(parameters);
  return {
    name,
    description,
    effect,
    parameters: {
      type: "object",
      properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
      required: entries.filter(([, { required }]) => required).map(([key]) => key),
      additionalProperties: false,
    },
    run: async (args, context) => definition.run(readValues(parameters, args), context),
  };
}

/** Everything wrong is reported at once. */
function readValues<P extends Parameters>(parameters: P, args: JsonObject): Values<P> {
  const lines: string[] = [];
  const values: [string, JsonValue | undefined][] = [];
  for (const [key, parameter] of Object.entries(parameters)) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (value === undefined) {
      if (parameter.required) lines.push(`/${key}: is required`);
      values.push([key, parameter.absent]);
    } else if (!parameter.accepts(value)) lines.push(`/${key}: ${parameter.complaint}`);
    else values.push([key, value]);
  }
  for (const key of Object.keys(args)) {
    if (!Object.hasOwn(parameters, key)) lines.push(`/${key}: is not a property of this tool`);
  }
  if (lines.length > 0) throw invalidArguments(lines);
  return Object.fromEntries(values) as Values<P>;
}

export const invalidArguments = (lines: readonly string[]): ToolProblem =>
  new ToolProblem("invalid_arguments", "Arguments do not match the tool's input schema", lines);

/** The arguments of a call as the model wrote them; nothing at all is an empty object. */
export function parseArguments(argumentsText: string): JsonObject {
  if (argumentsText.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(argumentsText);
  } catch (error) {
    throw invalidArguments([`they are not JSON: ${error instanceof Error ? error.message : String(error)}`]);
  }
  if (!isJsonObject(value)) throw invalidArguments(["they must be a JSON object"]);
  return value;
}
