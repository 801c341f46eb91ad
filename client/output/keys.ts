// Single keys of a terminal, without Enter and without being shown. The terminal is put back when nobody listens any more.

/** Nothing happens where the input is no terminal. The returned function ends it; idempotent. */
export function listenToKeys(input: NodeJS.ReadStream, onKey: (key: string) => void): () => void {
  if (!input.isTTY) return () => undefined;
  const onData = (bytes: Buffer): void => {
    const text = bytes.toString();
    // Arrows and the like come as sequences: they are no keys that anybody waits for.
    if (!text.startsWith("\u001b")) for (const key of text) onKey(key);
  };
  input.setRawMode(true);
  input.on("data", onData);
  let listening = true;
  return () => {
    if (!listening) return;
    listening = false;
    input.off("data", onData);
    input.setRawMode(false);
    // Else it would keep the program from ending.
    input.pause();
  };
}
