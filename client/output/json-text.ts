// JSON text laid out for people without being parsed: strings and numbers stay letter by letter what they were.

/** Two spaces a level; `json` must be valid JSON. */
export function indentJson(json: string): string {
  let out = "";
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs)) {
    if (token === "{" || token === "[") {
      out += token;
      depth++;
      out += line();
    } else if (token === "}" || token === "]") {
      depth--;
      const open = token === "}" ? "{" : "[";
      const empty = `${open}\n${"  ".repeat(depth + 1)}`;
      out = out.endsWith(empty) ? out.slice(0, -empty.length) + open + token : out + line() + token;
    } else if (token === ",") out += token + line();
    else out += token === ":" ? ": " : token;
  }
  return out;
}
