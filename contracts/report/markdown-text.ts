/** Escapes text of a server, so that it is not rendered. `writeReport` escapes its control characters. */
export function inline(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|]/g, "\\$&");
}

/** A table; the cells are Markdown. */
export function table(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): readonly string[] {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line), ""];
}

/** Lines as they are; the fence is longer than any in them. */
export function codeBlock(lines: readonly string[], language = ""): readonly string[] {
  const inner = lines.flatMap((line) => line.match(/`{3,}/g) ?? []);
  const fence = "`".repeat(Math.max(3, ...inner.map(({ length }) => length + 1)));
  return [fence + language, ...lines, fence];
}
