import { appendFileSync } from "node:fs";
import type { Invocation } from "./command.ts";

/** A line that GitHub Actions shows at a file, or at the job where it is about none. */
export interface Annotation {
  readonly title: string;
  readonly text: string;
  readonly file?: string;
  readonly line?: number;
}

/** GitHub shows ten of a step; more would only fill its log. */
const SHOWN = 10;

/** In GitHub Actions: the summary of the job, and an annotation for each of the first problems. Elsewhere nothing. */
export function reportToGitHub(
  { env }: Pick<Invocation, "env">,
  markdown: string,
  annotations: readonly Annotation[],
): void {
  if (env.GITHUB_ACTIONS !== "true") return;
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${markdown}\n`);
  for (const annotation of annotations.slice(0, SHOWN)) process.stderr.write(`${lineOf(annotation)}\n`);
}

function lineOf({ title, text, file, line }: Annotation): string {
  const properties = Object.entries({ file, line, title }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escaped(String(value)).replace(/[:,]/g, encodeURIComponent)}`],
  );
  return `::error ${properties.join(",")}::${escaped(text)}`;
}

/** As workflow commands escape their values. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
