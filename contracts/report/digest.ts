import type { CaseResult, Finding } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import { byGravity, type Fold, folded, isOwn, rowName, type Unmet, unmet } from "./findings.ts";

/** What a report for people says of a run, before it is put into words. */
export interface Digest {
  /** How many cases found something. */
  readonly wanting: number;
  /** Those of which there is something to be shown. */
  readonly cases: readonly ToldCase[];
  readonly toldBefore: readonly ToldBefore[];
  readonly unmet: readonly Unmet[];
  /** What is to be known of the curl lines. */
  readonly gone: readonly string[];
}

/** A case with its first findings. */
export interface ToldCase {
  readonly result: CaseResult;
  readonly kinds: readonly ToldFold[];
  /** Findings beyond them. */
  readonly rest: number;
}

/** A finding; one that others have shown enough of is only named. */
export interface ToldFold extends Fold {
  readonly isWhole: boolean;
}

/** Cases of which enough was shown before, with the verdict and the rows that they have in common. */
export interface ToldBefore {
  readonly verdict: CaseResult["verdict"];
  readonly rows: string;
  readonly cases: readonly string[];
}

interface FoldedCase {
  readonly result: CaseResult;
  readonly folds: readonly Fold[];
}

const FINDINGS_SHOWN = 10;
/** So many findings of a row show what is wrong; the rest would say it again. */
const MOST_OF_A_ROW = 3;

/** Every finding stands in full when `verbose` is true, else the first ones of each row. */
export function digestOf({ results, fleeting }: RunReport, verbose: boolean): Digest {
  const wanting = results.filter(({ verdict }) => verdict !== "PASS" && verdict !== "UNSUPPORTED");
  const cases = wanting.map((result) => ({ result, folds: folded(result) }));
  const whole = shownInFull(cases, verbose);
  const hasNews = ({ folds }: FoldedCase) => folds.some(({ finding }) => whole.has(finding));
  return {
    wanting: cases.length,
    cases: cases.filter(hasNews).map((each) => told(each, (finding) => whole.has(finding))),
    toldBefore: grouped(cases.filter((each) => !hasNews(each))),
    unmet: unmet(results),
    gone: cases.length > 0 ? goneLine(fleeting) : [],
  };
}

/** A case by itself. */
export function toldAlone(result: CaseResult): ToldCase {
  return told({ result, folds: folded(result) }, () => true);
}

function told({ result, folds }: FoldedCase, isWhole: (finding: Finding) => boolean): ToldCase {
  const kinds = folds.slice(0, FINDINGS_SHOWN).map((fold) => ({ ...fold, isWhole: isWhole(fold.finding) }));
  return { result, kinds, rest: folds.length - kinds.length };
}

function shownInFull(cases: readonly FoldedCase[], verbose: boolean): ReadonlySet<Finding> {
  const counts = new Map<string, number>();
  const isShown = (finding: Finding) => {
    // What went wrong in the harness itself is no row's, and stands nowhere else.
    if (finding.blame === "harness") return true;
    const kind = `${finding.verdict} ${rowName(finding)}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return verbose || count <= MOST_OF_A_ROW;
  };
  // Those come first that are about the row, since they show it best.
  const found = [true, false].flatMap((isAbout) =>
    cases.flatMap(({ result, folds }) => folds.filter(({ finding }) => isOwn(result, finding) === isAbout)),
  );
  return new Set(found.map(({ finding }) => finding).filter(isShown));
}

function grouped(cases: readonly FoldedCase[]): readonly ToldBefore[] {
  const groups = new Map<string, ToldBefore>();
  for (const { result, folds } of cases) {
    const { id, verdict } = result;
    const rows = [...new Set(folds.map(({ finding }) => `§${rowName(finding)}`))].join(" and ");
    const known = groups.get(`${verdict} ${rows}`);
    groups.set(`${verdict} ${rows}`, { verdict, rows, cases: [...(known?.cases ?? []), id] });
  }
  return [...groups.values()].sort(byGravity);
}

/** What was sent can be read, but not be sent there any more. */
export function goneLine(fleeting: string | undefined): string[] {
  return fleeting === undefined ? [] : [`The curl lines show what was sent. Gone by now: ${fleeting}.`];
}
