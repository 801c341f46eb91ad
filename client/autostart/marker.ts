// The line by which a file of ours is known again, with what `install` was asked for. It stands in a comment of either kind of
// file. A file without it was written by somebody else and is left alone.
import { isJsonObject } from "../../daemon/contract/index.ts";
import type { Asked } from "./launch.ts";

const WORD = "toolpool-service:";

/** One line of printable text without `--`, which would end an XML comment. */
export function markerOf(asked: Asked): string {
  return `${WORD} ${JSON.stringify(asked).replaceAll("-", "\\u002d")}`;
}

/** Undefined for a file that is not ours. */
export function readMarker(text: string): Asked | undefined {
  for (const line of text.split("\n")) {
    const at = line.indexOf(WORD);
    if (at < 0) continue;
    const rest = line.slice(at + WORD.length);
    const asked = parsed(rest.slice(0, rest.lastIndexOf("}") + 1));
    if (asked !== undefined) return asked;
  }
  return undefined;
}

function parsed(text: string): Asked | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || typeof value.path !== "string") return undefined;
  const { configFile, port, path } = value;
  return {
    ...(typeof configFile === "string" ? { configFile } : {}),
    ...(typeof port === "number" ? { port } : {}),
    path,
  };
}
