/** Quotes text for a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes text as one word of a shell, where it needs quotes. */
export function shellWord(text: string): string {
  return /^[\w./:\\@%+=,~-]+$/.test(text) ? text : quoted(text);
}
