// The file of a scripted model: what each agent says, turn by turn. Read and checked as a whole; everything wrong with it is
// reported at once. A conversation's place in the script is the number of replies it already holds, so nothing is kept here.
//
//   {"agents": {"lead": [{"text": "…", "calls": [{"tool": "name", "arguments": {}}]}], "scout": […]}}   or, for the lead alone,
//   {"turns": […]}
import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../daemon/contract/index.ts";

export interface ScriptedCall {
  readonly tool: string;
  /** JSON text of the arguments as the model is to write it. */
  readonly argumentsText: string;
}

export interface ScriptedTurn {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
  /** Names that must be among the offered tools; `!name` must not be. Otherwise the request is refused with what was offered. */
  readonly expectTools: readonly string[];
  readonly finish: "normal" | "length" | "content_filter" | "broken_off";
  readonly refusal: string;
  /** Answer with this HTTP status instead. */
  readonly error: { readonly status: number; readonly message: string } | undefined;
}

export interface Script {
  readonly agents: ReadonlyMap<string, readonly ScriptedTurn[]>;
}

export class ScriptInvalid extends Error {
  override readonly name = "ScriptInvalid";
  /** One line each: pointer and what is wrong there. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("; "));
    this.problems = problems;
  }
}

export const LEAD = "lead";

/** Throws ScriptInvalid. */
export function readScriptFile(file: string): Script {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? `is not JSON: ${error.message}` : "cannot be read";
    throw new ScriptInvalid([`the scripted model ${file} ${why}`]);
  }
  return readScript(content);
}

/** Throws ScriptInvalid. */
export function readScript(content: unknown): Script {
  const reading = new Reading();
  const agents = new Map<string, readonly ScriptedTurn[]>();
  if (!isJsonObject(content)) reading.wrong("", "must be an object");
  else {
    reading.known(content, "", ["turns", "agents"]);
    if (content.turns !== undefined) agents.set(LEAD, reading.turns(content.turns, "/turns"));
    if (content.agents !== undefined && !isJsonObject(content.agents)) reading.wrong("/agents", "must be an object");
    else {
      for (const [label, turns] of Object.entries(content.agents ?? {})) {
        agents.set(label, reading.turns(turns, `/agents/${label}`));
      }
    }
    if (agents.size === 0) reading.wrong("", "needs `turns` or `agents`");
  }
  if (reading.problems.length > 0) throw new ScriptInvalid(reading.problems);
  return { agents };
}

const TURN_KEYS = ["text", "calls", "expectTools", "finish", "refusal", "error"];
/** A reply without a trace in the conversation would be given again for ever. */
const SAYING = ["text", "calls", "refusal", "error"];
const FINISHES = ["normal", "length", "content_filter", "broken_off"] as const;

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

class Reading {
  readonly problems: string[] = [];

  wrong(pointer: string, what: string): void {
    this.problems.push(`${pointer === "" ? "the script" : pointer} ${what}`);
  }

  known(object: JsonObject, pointer: string, keys: readonly string[]): void {
    for (const key of Object.keys(object)) if (!keys.includes(key)) this.wrong(`${pointer}/${key}`, "is not a known member");
  }

  turns(value: JsonValue, pointer: string): readonly ScriptedTurn[] {
    if (!isList(value)) {
      this.wrong(pointer, "must be a list of turns");
      return [];
    }
    return value.map((turn, at) => this.#turn(turn, `${pointer}/${String(at)}`));
  }

  #turn(value: JsonValue, pointer: string): ScriptedTurn {
    const turn = isJsonObject(value) ? value : {};
    if (!isJsonObject(value)) this.wrong(pointer, "must be an object");
    this.known(turn, pointer, TURN_KEYS);
    const finish = FINISHES.find((name) => name === (turn.finish ?? "normal"));
    if (finish === undefined) this.wrong(`${pointer}/finish`, `must be one of: ${FINISHES.join(", ")}`);
    if (!SAYING.some((key) => key in turn)) this.wrong(pointer, "says nothing: it needs `text` or `calls`");
    return {
      text: this.#text(turn.text, `${pointer}/text`),
      calls: this.#list(turn.calls, `${pointer}/calls`).map((call, at) => this.#call(call, `${pointer}/calls/${String(at)}`)),
      expectTools: this.#list(turn.expectTools, `${pointer}/expectTools`).map((name, at) =>
        this.#text(name, `${pointer}/expectTools/${String(at)}`),
      ),
      finish: finish ?? "normal",
      refusal: this.#text(turn.refusal, `${pointer}/refusal`),
      error: turn.error === undefined ? undefined : this.#error(turn.error, `${pointer}/error`),
    };
  }

  #call(value: JsonValue, pointer: string): ScriptedCall {
    const call = isJsonObject(value) ? value : {};
    this.known(call, pointer, ["tool", "arguments", "argumentsText"]);
    if (typeof call.tool !== "string") this.wrong(pointer, "needs the name of a `tool`");
    const given = call.argumentsText ?? JSON.stringify(call.arguments ?? {});
    return { tool: this.#text(call.tool, `${pointer}/tool`), argumentsText: this.#text(given, `${pointer}/argumentsText`) };
  }

  #error(value: JsonValue, pointer: string): { status: number; message: string } {
    const error = isJsonObject(value) ? value : {};
    this.known(error, pointer, ["status", "message"]);
    if (typeof error.status !== "number") this.wrong(pointer, "needs a `status`");
    return { status: Number(error.status), message: this.#text(error.message, `${pointer}/message`) };
  }

  #text(value: JsonValue | undefined, pointer: string): string {
    if (value === undefined) return "";
    if (typeof value !== "string") this.wrong(pointer, "must be a string");
    return typeof value === "string" ? value : "";
  }

  #list(value: JsonValue | undefined, pointer: string): readonly JsonValue[] {
    if (value === undefined) return [];
    if (isList(value)) return value;
    this.wrong(pointer, "must be a list");
    return [];
  }
}
