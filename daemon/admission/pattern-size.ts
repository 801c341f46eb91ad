// An upper estimate of how large a regular expression becomes when its counted repetitions are unfolded, in one pass and without
// compiling it: a pattern of 1,000 characters can ask for more than 100,000 instructions.

interface Group {
  total: number;
  last: number;
}

/** Undefined for syntax whose meaning differs between ECMA-262 and RE2 (`\k`, `\Q`, `\E`, `\C`). */
export function unfoldedSize(pattern: string): number | undefined {
  const outer: Group[] = [];
  let group: Group = { total: 0, last: 0 };
  const atom = (size: number): void => {
    group.total += size;
    group.last = size;
  };
  for (let at = 0; at < pattern.length; at++) {
    switch (pattern[at]) {
      case "\\": {
        at += 1;
        const letter = pattern[at] ?? "";
        if ("kQEC".includes(letter) && letter !== "") return undefined;
        if ("pPux".includes(letter) && pattern[at + 1] === "{") at = Math.max(at, pattern.indexOf("}", at));
        atom(1);
        break;
      }
      case "[":
        at = endOfClass(pattern, at);
        atom(1);
        break;
      case "(":
        outer.push(group);
        group = { total: 0, last: 0 };
        break;
      case ")": {
        const size = group.total + 2;
        group = outer.pop() ?? { total: 0, last: 0 };
        atom(size);
        break;
      }
      case "{": {
        const counted = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/.exec(pattern.slice(at, at + 24));
        if (counted === null) {
          atom(1);
          break;
        }
        const times = Math.max(Number(counted[1]), Number(counted[2] ?? 0), 1);
        // Optional copies take a branch each.
        const size = group.last * times + times;
        group.total += size - group.last;
        group.last = size;
        at += counted[0].length - 1;
        break;
      }
      default:
        atom(1);
    }
  }
  return outer.reduce((sum, open) => sum + open.total, group.total);
}

function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === "^") at += 1;
  // A bracket at the start is a member, for RE2.
  if (pattern[at] === "]") at += 1;
  while (at < pattern.length && pattern[at] !== "]") at += pattern[at] === "\\" ? 2 : 1;
  return at;
}
