// JSON Pointers (RFC 6901): building them token by token, and reading them out of the fragment of a local reference.

export function pointerToken(token: string | number): string {
  return typeof token === "number" ? String(token) : token.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function joinPointer(base: string, ...tokens: readonly (string | number)[]): string {
  let pointer = base;
  for (const token of tokens) pointer += `/${pointerToken(token)}`;
  return pointer;
}

/**
 * The pointer a local reference names, in its plain spelling; `""` for `#`. Undefined when the reference is not `#` or `#/…`, or
 * is misspelt (percent-encoding, `~` escapes). The fragment is decoded before it is split, as RFC 6901 section 6 says.
 */
export function localPointer(reference: string): string | undefined {
  if (reference === "#") return "";
  if (!reference.startsWith("#/")) return undefined;
  try {
    const pointer = decodeURIComponent(reference.slice(1));
    return /~(?![01])/.test(pointer) ? undefined : pointer;
  } catch {
    return undefined;
  }
}
