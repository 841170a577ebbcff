/** Escapes text of a server, so that it is not rendered. */
export function inline(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|]/g, "\\$&").replaceAll("\n", " ");
}

/** Text as inline code, also in a cell of a table. */
export function span(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll("|", "\\|").replaceAll("\n", " ")}\``;
}

/** A table; the cells are Markdown. */
export function table(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): readonly string[] {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line), ""];
}

export function codeBlock(lines: readonly string[]): readonly string[] {
  return ["```", ...lines, "```"];
}
