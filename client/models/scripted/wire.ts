// What both wire formats of the scripted model share: a turn with its call ids, the pieces of a text, the token counts.
import type { JsonValue } from "../../../daemon/contract/index.ts";
import type { ScriptedCall, ScriptedTurn } from "./script.ts";

export interface WireTurn extends Omit<ScriptedTurn, "calls"> {
  readonly calls: readonly (ScriptedCall & { readonly id: string })[];
}

/** Every reply counts the same: the script says nothing about tokens. */
export const SCRIPTED_USAGE = Object.freeze({ input: 100, output: 10 });

const PIECE = 9;

/** Call ids are the same in every run: `call_<reply>_<n>`. */
export function wireTurn(turn: ScriptedTurn, replies: number): WireTurn {
  const calls = turn.calls.map((call, at) => ({ ...call, id: `call_${String(replies + 1)}_${String(at + 1)}` }));
  return { ...turn, calls };
}

/** A member that is known to be a text. */
export const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

export function* inPieces(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE);
}
