// Variables in the configuration: `${NAME}` and `${NAME:-default}`, one grammar for every field. A default stands for a variable
// that is not set; one that is set to nothing is set. What a variable holds is never expanded again, `$NAME`, `%NAME%` and `~`
// are plain text, and whatever opens with `${` and cannot be expanded is told, never passed on. No message shows a value.
import { compareCodeUnits } from "../daemon/contract/index.ts";
import type { Value } from "./document.ts";
import { quoted } from "./fields.ts";

export type Expansion =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "failed"; readonly messages: readonly string[] };

/** `env` is read, never asked for inherited members. */
export function expand(text: string, env: NodeJS.ProcessEnv): Expansion {
  const messages: string[] = [];
  let expanded = "";
  let at = 0;
  for (let open = text.indexOf("${"); open !== -1; open = text.indexOf("${", at)) {
    const close = text.indexOf("}", open);
    if (close === -1) {
      messages.push('a "${" is not closed by "}"');
      return { kind: "failed", messages };
    }
    const part = reference(text.slice(open + 2, close), env);
    if (part.kind === "failed") messages.push(...part.messages);
    else expanded += text.slice(at, open) + part.text;
    at = close + 1;
  }
  return messages.length > 0 ? { kind: "failed", messages } : { kind: "text", text: expanded + text.slice(at) };
}

/** Names of the variables without a default that the texts of a value refer to, in code-unit order. */
export function referencesIn(value: Value): readonly string[] {
  const names = new Set<string>();
  collect(value, names);
  return [...names].toSorted(compareCodeUnits);
}

function collect(value: Value, names: Set<string>): void {
  if (value.kind === "object") for (const member of value.members) collect(member.value, names);
  if (value.kind === "array") for (const item of value.items) collect(item, names);
  if (value.kind !== "string") return;
  for (const [, inside = ""] of value.value.matchAll(/\$\{([^}]*)\}/g)) if (!inside.includes(":-")) names.add(inside);
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function reference(inside: string, env: NodeJS.ProcessEnv): Expansion {
  const split = inside.indexOf(":-");
  const name = split === -1 ? inside : inside.slice(0, split);
  const preset = split === -1 ? undefined : inside.slice(split + 2);
  if (preset?.includes("${") === true)
    return failed(`the default of the variable ${quoted(name)} holds another "\${": a default is plain text`);
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined) return { kind: "text", text: value };
  // A name of another system's shape (`ProgramFiles(x86)`) is fine where it is set; where it is not, it is more likely a slip.
  if (!PLAIN_NAME.test(name)) return failed(`${quoted(name)} is no name of a variable: write \${NAME} or \${NAME:-default}`);
  if (preset !== undefined) return { kind: "text", text: preset };
  return failed(`the variable ${name} is not set: set it where the daemon starts, or write \${${name}:-default}`);
}

function failed(message: string): Expansion {
  return { kind: "failed", messages: [message] };
}
