// A fault in a file, as compilers write it: `file:line:column: pointer: message`.
import type { ConfigIssue } from "../../daemon/contract/index.ts";
import { visible } from "./visible.ts";

/** `file`: where the issue does not name another one. */
export function issueLine(file: string, { file: named = file, pointer, message, line, column }: ConfigIssue): string {
  const place = line === undefined ? named : `${named}:${String(line)}:${String(column ?? 1)}`;
  return visible([place, ...(pointer === "" ? [] : [pointer]), message].join(": "));
}
