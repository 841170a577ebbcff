import type { CaseResult, Verdict } from "./case.ts";
import type { RunReport } from "./run.ts";

/** A case that two servers answer differently. */
export interface Drift {
  readonly id: string;
  readonly title: string;
  readonly first: { readonly verdict: Verdict; readonly texts: readonly string[] };
  readonly second: { readonly verdict: Verdict; readonly texts: readonly string[] };
}

export interface Comparison {
  readonly targets: readonly [string, string];
  /** Cases that both servers could be asked. */
  readonly compared: number;
  /** Cases that one of them lacks what it needs for. */
  readonly notCompared: number;
  readonly drifts: readonly Drift[];
}

/** Only the differences between two runs of the same cases. */
export function compared(first: RunReport, second: RunReport): Comparison {
  const others = new Map(second.results.map((result) => [result.id, result]));
  const pairs = first.results.flatMap((result) => {
    const other = others.get(result.id);
    return other ? [[result, other] as const] : [];
  });
  const asked = pairs.filter((pair) => pair.every(({ verdict }) => verdict !== "UNSUPPORTED"));
  const drifts = asked.filter(([one, other]) => essence(one) !== essence(other));
  return {
    targets: [first.target, second.target],
    compared: asked.length,
    notCompared: pairs.length - asked.length,
    drifts: drifts.map(([one, other]) => ({
      id: one.id,
      title: one.title,
      first: { verdict: one.verdict, texts: textsOf(one) },
      second: { verdict: other.verdict, texts: textsOf(other) },
    })),
  };
}

export function comparisonLines({ targets, compared: count, notCompared, drifts }: Comparison): string[] {
  const [first, second] = targets;
  return [
    ...drifts.flatMap((drift) => [
      `${drift.id}  ${drift.title}`,
      ...side(first, drift.first),
      ...side(second, drift.second),
      "",
    ]),
    `${drifts.length} of ${count} cases differ; ${notCompared} could not be asked of both`,
  ];
}

const TEXTS_SHOWN = 5;

function side(name: string, { verdict, texts }: Drift["first"]): string[] {
  const rest = texts.length - TEXTS_SHOWN;
  return [
    `  ${name}: ${verdict}`,
    ...texts.slice(0, TEXTS_SHOWN).map((text) => `    ${text}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}

function textsOf({ findings }: CaseResult): readonly string[] {
  return [
    ...new Set(
      findings.map(
        ({ verdict, requirement, section, text }) => `${verdict} §${requirement ?? section}: ${text}`,
      ),
    ),
  ];
}

function essence(result: CaseResult): string {
  return `${result.verdict} ${textsOf(result).join("\n")}`;
}
