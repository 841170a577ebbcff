import type { CaseResult } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import type { Finding } from "../engine/verdict.ts";
import {
  bySeverity,
  type FindingGroup,
  groupFindings,
  isOwn,
  rowName,
  type Unmet,
  unmet,
} from "./findings.ts";

/** The content of a report for people, before it is formatted. */
export interface Digest {
  /** Number of cases with findings. */
  readonly casesWithFindings: number;
  /** Cases whose findings are shown. */
  readonly cases: readonly ReportedCase[];
  readonly reportedBefore: readonly ReportedBefore[];
  readonly unmet: readonly Unmet[];
  /** A note on the curl commands. */
  readonly expiredAddressLines: readonly string[];
}

/** A case with its first findings. */
export interface ReportedCase {
  readonly result: CaseResult;
  readonly kinds: readonly ReportedGroup[];
  /** Number of further findings. */
  readonly rest: number;
}

/** A finding; repeated ones are only named. */
export interface ReportedGroup extends FindingGroup {
  readonly isFull: boolean;
}

/** Cases with findings that were shown before, by common verdict and requirements. */
export interface ReportedBefore {
  readonly verdict: CaseResult["verdict"];
  readonly rows: string;
  readonly cases: readonly string[];
}

interface GroupedCase {
  readonly result: CaseResult;
  readonly groups: readonly FindingGroup[];
}

const FINDINGS_SHOWN = 10;
/** Findings shown of one requirement; the rest repeats them. */
const MAX_PER_ROW = 3;

/** `verbose` shows every finding in full, else the first ones of each requirement. */
export function digestOf({ results, fleeting }: RunReport, verbose: boolean): Digest {
  const withFindings = results.filter(({ verdict }) => verdict !== "PASS" && verdict !== "UNSUPPORTED");
  const cases = withFindings.map((result) => ({ result, groups: groupFindings(result) }));
  const shownFindings = shownInFull(cases, verbose);
  const hasUnreported = ({ groups }: GroupedCase) => groups.some(({ finding }) => shownFindings.has(finding));
  return {
    casesWithFindings: cases.length,
    cases: cases
      .filter(hasUnreported)
      .map((each) => reportCase(each, (finding) => shownFindings.has(finding))),
    reportedBefore: grouped(cases.filter((each) => !hasUnreported(each))),
    unmet: unmet(results),
    expiredAddressLines: cases.length > 0 ? expiredAddressLine(fleeting) : [],
  };
}

/** A case by itself. */
export function reportSingleCase(result: CaseResult): ReportedCase {
  return reportCase({ result, groups: groupFindings(result) }, () => true);
}

function reportCase({ result, groups }: GroupedCase, isFull: (finding: Finding) => boolean): ReportedCase {
  const kinds = groups.slice(0, FINDINGS_SHOWN).map((group) => ({ ...group, isFull: isFull(group.finding) }));
  return { result, kinds, rest: groups.length - kinds.length };
}

function shownInFull(cases: readonly GroupedCase[], verbose: boolean): ReadonlySet<Finding> {
  const counts = new Map<string, number>();
  const isShown = (finding: Finding) => {
    // Errors of the harness belong to no requirement, so they are always shown.
    if (finding.blame === "harness") return true;
    const kind = `${finding.verdict} ${rowName(finding)}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return verbose || count <= MAX_PER_ROW;
  };
  // Cases about the requirement come first, since they show it best.
  const found = [true, false].flatMap((isAbout) =>
    cases.flatMap(({ result, groups }) => groups.filter(({ finding }) => isOwn(result, finding) === isAbout)),
  );
  return new Set(found.map(({ finding }) => finding).filter(isShown));
}

function grouped(cases: readonly GroupedCase[]): readonly ReportedBefore[] {
  const reported = new Map<string, ReportedBefore>();
  for (const { result, groups } of cases) {
    const { id, verdict } = result;
    const rows = [...new Set(groups.map(({ finding }) => `§${rowName(finding)}`))].join(" and ");
    const known = reported.get(`${verdict} ${rows}`);
    reported.set(`${verdict} ${rows}`, { verdict, rows, cases: [...(known?.cases ?? []), id] });
  }
  return [...reported.values()].sort(bySeverity);
}

/** The target no longer exists, so the commands cannot be repeated. */
export function expiredAddressLine(fleeting: string | undefined): string[] {
  return fleeting === undefined ? [] : [`The curl lines show what was sent. Gone by now: ${fleeting}.`];
}
