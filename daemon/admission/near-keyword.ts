// Finds the asserting keyword that an unknown one was probably meant to be. A misspelt assertion would be ignored here while the
// server's author believes that it holds, so it is refused rather than passed over.
import { KEYWORDS } from "./dialects.ts";

const ASSERTING = [...KEYWORDS].filter(([, keyword]) => keyword.role !== "annotation").map(([name]) => name);

/** The asserting keyword that differs from `name` by case or by one edit (insert, drop, replace, swap neighbours). */
export function nearKeyword(name: string): string | undefined {
  const lower = name.toLowerCase();
  return ASSERTING.find(
    (keyword) =>
      keyword.toLowerCase() === lower ||
      // Three letters are too few to tell a slip from another word (`not` and `note`).
      (keyword.length > 3 && withinOneEdit(name, keyword)),
  );
}

function withinOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const restA = a.slice(head, a.length - tail);
  const restB = b.slice(head, b.length - tail);
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA.startsWith(restB.charAt(1)) && restB.startsWith(restA.charAt(1));
}
