import { type CaseResult, sectionOfCase, VERDICTS } from "../case.ts";
import type { RunReport } from "../run.ts";
import { countsLine, countsOf, shown } from "./summary.ts";

/** A report for the summary of a job: a table of sections, then what was found. */
export function markdownReport(report: RunReport): string {
  const { results, target, requests, wallMs, seed } = report;
  const sections = [...new Set(results.map(({ id }) => sectionOfCase(id)))];
  const wanting = results.filter(({ verdict }) => verdict !== "PASS" && verdict !== "UNSUPPORTED");
  return [
    `## Contract: ${inline(target)}`,
    "",
    `${countsLine(countsOf(results))} — ${results.length} cases, ${requests} requests, ${(wallMs / 1000).toFixed(1)} s, seed ${seed}`,
    "",
    `| Section | ${VERDICTS.join(" | ")} |`,
    `|---|${VERDICTS.map(() => "--:|").join("")}`,
    ...sections.map((section) => row(section, results)),
    "",
    ...wanting.flatMap(findings),
  ].join("\n");
}

function row(section: string, all: readonly CaseResult[]): string {
  const counts = countsOf(all.filter(({ id }) => sectionOfCase(id) === section));
  return `| §${section} | ${VERDICTS.map((verdict) => counts[verdict] || "").join(" | ")} |`;
}

function findings({ id, title, verdict, findings: found }: CaseResult): string[] {
  return [
    `### ${verdict} ${inline(id)}`,
    "",
    `${title}.`,
    "",
    ...found
      .slice(0, 10)
      .flatMap((finding) => [
        `- **§${finding.requirement ?? finding.section}** (${finding.blame}) ${inline(finding.text)}`,
        ...("actual" in finding
          ? [`  expected ${code(finding.expected)}, actual ${code(finding.actual)}`]
          : []),
        ...(finding.exchange ? ["", "  ```sh", `  ${finding.exchange.curl}`, "  ```"] : []),
      ]),
    "",
  ];
}

function code(value: unknown): string {
  return `\`${shown(value).replaceAll("`", "'")}\``;
}

/** Text of a server is nothing to render. */
export function inline(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|]/g, "\\$&").replaceAll("\n", " ");
}
