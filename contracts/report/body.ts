import { codeBlock, inline, table } from "./markdown-text.ts";

/** What the text and the Markdown report of a harness or a comparison contain, in this order. */
export interface ReportBody {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What was found, each with a title. */
  readonly sections: readonly { readonly title: string; readonly lines: readonly string[] }[];
  readonly notes: readonly string[];
  readonly counts: string;
}

/** The text report: the rows in columns, then the sections, the notes and the counts. */
export function prettyBody({ rows, sections, notes, counts }: ReportBody): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return [
    ...rows.map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    ),
    ...sections.flatMap(({ title, lines }, at) => [
      ...(rows.length + at > 0 ? [""] : []),
      title,
      ...lines.map((line) => `  ${line}`),
    ]),
    ...(sections.length > 0 || (rows.length > 0 && notes.length > 0) ? [""] : []),
    ...notes,
    counts,
  ];
}

/** The same in Markdown, the counts first. */
export function markdownBody({ columns, rows, sections, notes, counts }: ReportBody): readonly string[] {
  return [
    `**${inline(counts)}**`,
    "",
    ...(rows.length > 0
      ? table(
          columns,
          rows.map((row) => row.map(inline)),
        )
      : []),
    ...sections.flatMap(({ title, lines }) => [`### ${inline(title)}`, "", ...codeBlock(lines), ""]),
    ...(notes.length > 0 ? codeBlock(notes) : []),
  ];
}
