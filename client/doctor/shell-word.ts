// Words for a command that a person may paste into a POSIX shell.

/** As it is where that is safe, else quoted. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Opens a file at a line, in the person's own editor. */
export function editAt(file: string, line?: number): string {
  return ["${EDITOR:-vi}", ...(line === undefined ? [] : [`+${String(line)}`]), shellWord(file)].join(" ");
}
