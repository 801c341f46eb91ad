// The body of a request as one text: bounded, UTF-8 and nothing else. A chunked body says no size beforehand, so it is counted
// while it arrives; what follows after too much is dropped unread.
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { PoolError } from "../contract/index.ts";
import { tooLarge } from "./gate.ts";

/** Ends in `done` once, or never, when the caller leaves before the end of the body. */
export function readBody(request: Readable, bodyLimit: number, done: (error: PoolError | null, text?: string) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => {
    request.off("data", onData);
    request.off("end", onEnd);
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
    else {
      stop();
      done(tooLarge(bodyLimit));
    }
  };
  const onEnd = (): void => {
    stop();
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
    // Decoding would put U+FFFD for what is no UTF-8, and change the caller's strings without a word.
    if (isUtf8(bytes)) done(null, bytes.toString("utf8"));
    else done(new PoolError("parse_error", "The body is not UTF-8"));
  };
  request.on("data", onData);
  request.on("end", onEnd);
  // Without a listener a lost connection would be an uncaught error.
  request.on("error", stop);
}
