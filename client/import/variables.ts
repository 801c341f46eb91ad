// From the way a host writes variables to ours, `${NAME}` and `${NAME:-default}`. What only the host knows (an answer to a
// question, the content of a file) is named in a remark; what cannot be written here at all is a problem. Nothing is looked up.
import type { Origin } from "./found.ts";

export interface Input {
  readonly id: string;
  readonly preset?: string;
}

export interface TextWorld {
  readonly host: Origin;
  readonly home: string;
  /** What `${workspaceFolder}` stands for. */
  readonly workspace: string;
  /** The workspace is only the folder we were started in. */
  readonly workspaceGuessed: boolean;
  readonly separator: string;
  readonly inputs: ReadonlyMap<string, Input>;
}

export interface Translated {
  readonly text: string;
  /** Referred to without a default. */
  readonly variables: readonly string[];
  readonly remarks: readonly string[];
  /** It cannot be written here. */
  readonly problem?: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Of these `${NAME}` is plain text: they know no variables, or only `${env:NAME}`. */
const BRACES_ARE_TEXT: ReadonlySet<Origin> = new Set([
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "windsurf",
  "zed",
  "opencode",
]);

/** What a question of VS Code is called as a variable: `brave-key` is `BRAVE_KEY`. */
export function variableName(text: string): string {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return name === "" ? "INPUT" : /^[0-9]/.test(name) ? `_${name}` : name;
}

type Piece = { readonly kind: "text"; readonly text: string } | { readonly kind: "problem"; readonly problem: string };

export function translate(written: string, world: TextWorld): Translated {
  const variables: string[] = [];
  const remarks: string[] = [];
  const problems: string[] = [];
  const say: Saying = {
    world,
    note: (remark) => void remarks.push(remark),
    variable: (name, preset) => {
      if (!NAME.test(name)) return problem("a reference to a variable whose name no system takes");
      if (preset?.includes("${") === true) return problem(`the default of ${name} refers to another variable`);
      if (preset === undefined) variables.push(name);
      return text(preset === undefined ? `\${${name}}` : `\${${name}:-${preset}}`);
    },
  };
  let translated = "";
  let at = 0;
  for (const match of written.matchAll(referenceOf(world.host))) {
    const piece = pieceOf(match.groups ?? {}, say);
    if (piece.kind === "problem") problems.push(piece.problem);
    translated += written.slice(at, match.index) + (piece.kind === "text" ? piece.text : match[0]);
    at = match.index + match[0].length;
  }
  translated += written.slice(at);
  // What stays open would be refused by our own reader.
  if (/\$\{[^}]*$/.test(translated)) problems.push('a "${" is not closed by "}"');
  const [first] = problems;
  return { text: translated, variables, remarks, ...(first === undefined ? {} : { problem: first }) };
}

function referenceOf(host: Origin): RegExp {
  switch (host) {
    case "gemini-cli":
      return /\$\{(?<inside>[^}]*)\}|\$(?<bare>[A-Za-z_][A-Za-z0-9_]*)/g;
    case "opencode":
    case "file":
      return /\$\{(?<inside>[^}]*)\}|\{env:(?<bare>[^}]*)\}|\{file:[^}]*\}/g;
    default:
      return /\$\{(?<inside>[^}]*)\}/g;
  }
}

interface Saying {
  readonly world: TextWorld;
  readonly variable: (name: string, preset?: string) => Piece;
  readonly note: (remark: string) => void;
}

function pieceOf({ inside, bare }: { readonly inside?: string; readonly bare?: string }, say: Saying): Piece {
  if (inside !== undefined) return insideBraces(inside, say);
  if (bare !== undefined) return say.variable(bare);
  return problem("the content of a file is put in there ({file:…}): keep it in a variable instead");
}

function insideBraces(inside: string, { world, variable, note }: Saying): Piece {
  switch (inside) {
    case "workspaceFolder":
    case "cwd":
      if (world.workspaceGuessed) note(`\${${inside}} is taken to be this folder`);
      return text(world.workspace);
    case "workspaceFolderBasename":
      return text(world.workspace.split(/[\\/]/).at(-1) ?? "");
    case "userHome":
      return text(world.home);
    case "pathSeparator":
    case "/":
      return text(world.separator);
  }
  const input = /^input:(.*)$/s.exec(inside)?.[1];
  if (input !== undefined) {
    const name = variableName(input);
    note(`what the host asks for ("${input}") is the variable ${name} here`);
    return variable(name, world.inputs.get(input)?.preset);
  }
  const env = /^env:(.*)$/s.exec(inside)?.[1];
  if (env !== undefined) return variable(env);
  const split = inside.indexOf(":-");
  const name = split === -1 ? inside : inside.slice(0, split);
  if (name.includes(":")) return problem(`only the host knows what \${${name.split(":")[0] ?? ""}:…} stands for`);
  if (BRACES_ARE_TEXT.has(world.host)) note(`\${${name}} is plain text there, and a variable here`);
  return variable(name, split === -1 ? undefined : inside.slice(split + 2));
}

const text = (content: string): Piece => ({ kind: "text", text: content });
const problem = (said: string): Piece => ({ kind: "problem", problem: said });
