// The secret that TCP callers must know: 32 random bytes, made once, kept in a file only its owner can read. Refuses a file that
// somebody else could have chosen the content of.
import { randomBytes } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { codeOf, isOurs, writeWhole } from "./own-file.ts";
import { StartError } from "./start-error.ts";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Reads it, or makes it. Throws StartError. */
export function claimToken(file: string): string {
  try {
    return readToken(file) ?? makeToken(file);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const next = "check its owner and mode, and the free space";
    throw new StartError("token", `${file} cannot be read or written (${codeOf(error)}): ${next}`);
  }
}

/** Undefined when there is none, or nothing in it: its disk was full once. */
function readToken(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new StartError("token", `${file} is not a plain file: move it away`);
  if (!isOurs(found.uid)) throw new StartError("token", `${file} belongs to another user: move it away`);
  const token = readFileSync(file, "utf8").trim();
  if (token === "") return undefined;
  if (!TOKEN.test(token))
    throw new StartError("token", `${file} holds no token: delete it, and a new one is made at the next start`);
  return token;
}

function makeToken(file: string): string {
  const token = randomBytes(32).toString("base64url");
  writeWhole(file, `${token}\n`);
  return token;
}
