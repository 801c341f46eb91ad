// From what Node's readline reports of a key press to the keys of the list.
import { EFFECTS } from "./choice-rules.ts";
import type { Key } from "./effect-choice.ts";

/** As Node gives it; its type says less. */
export interface KeyPress {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

const NAMED: ReadonlyMap<string, Key> = new Map<string, Key>([
  ["up", { kind: "up" }],
  ["down", { kind: "down" }],
  ["left", { kind: "left" }],
  ["right", { kind: "right" }],
  ["pageup", { kind: "pageUp" }],
  ["pagedown", { kind: "pageDown" }],
  ["home", { kind: "home" }],
  ["end", { kind: "end" }],
  ["space", { kind: "space" }],
  ["tab", { kind: "tab" }],
  ["return", { kind: "enter" }],
  ["enter", { kind: "enter" }],
  ["escape", { kind: "escape" }],
  ["backspace", { kind: "backspace" }],
  // Not every terminal lets them through; * and a letter do the same.
  ...EFFECTS.map((effect, at): [string, Key] => [`f${String(at + 1)}`, { kind: "setAll", effect }]),
]);

/** Ctrl and Alt with a letter differ from terminal to terminal, so they do nothing. Ctrl-H is Backspace in most of them. */
export function readKey({ name, sequence = "", ctrl, meta }: KeyPress): Key {
  if (ctrl === true) return { kind: "other" };
  // Escape pressed twice, or before another key came, is still Escape.
  const named = name === undefined ? undefined : NAMED.get(name);
  if (named !== undefined && (meta !== true || named.kind === "escape")) return named;
  const typed = meta !== true && Array.from(sequence).length === 1 && !/[\p{C}\p{Z}]/u.test(sequence);
  return typed ? { kind: "text", text: sequence } : { kind: "other" };
}
