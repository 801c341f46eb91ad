// The secret that TCP callers must know: 32 random bytes, made once, kept in a file only its owner can read.
import { randomBytes } from "node:crypto";
import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { StartError } from "./start-error.ts";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Reads it, or makes it. Throws StartError for a file that holds something else. */
export function claimToken(file: string): string {
  try {
    if (!lstatSync(file).isFile()) throw new StartError("token", `${file} is not a plain file: move it away`);
    const token = readFileSync(file, "utf8").trim();
    if (!TOKEN.test(token))
      throw new StartError("token", `${file} holds no token: delete it, and a new one is made at the next start`);
    return token;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
      if (error instanceof StartError) throw error;
      throw new StartError("token", `${file} cannot be read: check its owner and mode`);
    }
  }
  const token = randomBytes(32).toString("base64url");
  writeFileSync(file, `${token}\n`, { mode: 0o600, flag: "wx" });
  return token;
}
