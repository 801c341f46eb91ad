// From any name to an alias, by one rule that a person can apply in the head; the same name always becomes the same alias.

/** Names are longer nowhere; what follows could not be in the alias anyway. */
const MAX_READ = 256;
const MAX_LENGTH = 32;

/**
 * Accents go, letters become small, every run of other characters becomes one `_`, and `_` at both ends goes; what begins with a
 * digit gets `mcp_` before it; it ends after 32 characters. Undefined when nothing of the name can stay.
 */
export function aliasFor(name: string): string | undefined {
  const words = name
    .slice(0, MAX_READ)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  if (words === "") return undefined;
  const alias = /^[0-9]/.test(words) ? `mcp_${words}` : words;
  return alias.slice(0, MAX_LENGTH).replace(/_$/, "");
}
