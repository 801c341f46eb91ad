// Changes one server's entry of the lock file and leaves the text of all others as it is: definitions in there are exact texts,
// and a line that did not change must not show up as changed in version control.
import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { compareCodeUnits } from "../daemon/contract/index.ts";
import { EMPTY_LOCK, lockEntryText, type LockEntry } from "./lock.ts";

const INDENT = "    ";

/** `text`: of a lock file that parses (parseLock), or undefined where there is none. Entries stand in code-unit order. */
export function withLockEntry(text: string | undefined, alias: string, entry: LockEntry): string {
  const current = text ?? EMPTY_LOCK;
  const root = parseTree(current);
  const servers = root && findNodeAtLocation(root, ["servers"]);
  if (servers?.type !== "object") throw new Error("the lock file has no servers");
  const body = lockEntryText(entry, INDENT);
  const members = servers.children ?? [];
  const same = members.find(({ children: [key] = [] }) => key?.value === alias)?.children?.[1];
  if (same !== undefined) return splice(current, same.offset, same.length, body);
  const member = `${JSON.stringify(alias)}: ${body}`;
  const next = members.find(({ children: [key] = [] }) => compareCodeUnits(String(key?.value), alias) > 0);
  if (next !== undefined) return splice(current, next.offset, 0, `${member},\n${INDENT}`);
  const last = members.at(-1);
  if (last !== undefined) return splice(current, last.offset + last.length, 0, `,\n${INDENT}${member}`);
  return splice(current, servers.offset, servers.length, `{\n${INDENT}${member}\n  }`);
}

const splice = (text: string, offset: number, length: number, content: string): string =>
  text.slice(0, offset) + content + text.slice(offset + length);
