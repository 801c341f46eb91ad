// Counted things and sizes, for people.

/** `1 tool`, `4 tools`. */
export const many = (count: number, what: string): string => `${String(count)} ${what}${count === 1 ? "" : "s"}`;

/** `812 B`, `3.1 KiB`, `58 MiB`, `1.2 GiB`; a dash when it is not known. */
export function size(bytes: number | undefined): string {
  if (bytes === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** at;
  return `${String(at > 0 && value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${units[at] ?? ""}`;
}
