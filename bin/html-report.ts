import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { builtUrl } from "../emulator/storage/thread-url.ts";

/** What a report is of; the page has a view for each. */
export type HtmlReportKind = "contract" | "comparison" | "replay";

/** A report as one file that opens offline: the components of the console with the data inlined. */
export function htmlReport(kind: HtmlReportKind, json: string): string {
  const script = readFileSync(builtUrl("console/report.js"), "utf8").replaceAll("</script", "<\\/script");
  const style = readFileSync(builtUrl("console/style.css"), "utf8");
  // Within a script element nothing but its end tag is markup.
  const data = JSON.stringify({ kind, report: JSON.parse(json) }).replaceAll("<", "\\u003c");
  const policy = `default-src 'none'; script-src '${digest(script)}'; style-src '${digest(style)}'`;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>${kind} – emulator</title>`,
    `<style>${style}</style></head><body class="report">`,
    `<script type="application/json" id="data">${data}</script>`,
    `<script>${script}</script>`,
    "</body></html>",
  ].join("\n");
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
