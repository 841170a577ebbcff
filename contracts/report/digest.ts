import type { CaseResult } from "../engine/case.ts";
import { type FindingGroup, groupFindings } from "./findings.ts";

/** A case with its first findings. */
export interface ReportedCase {
  readonly result: CaseResult;
  readonly kinds: readonly FindingGroup[];
  /** Number of further findings. */
  readonly rest: number;
}

const MAX_FINDINGS = 10;

/** A case by itself. */
export function reportSingleCase(result: CaseResult): ReportedCase {
  const groups = groupFindings(result);
  const kinds = groups.slice(0, MAX_FINDINGS);
  return { result, kinds, rest: groups.length - kinds.length };
}

/** The target no longer exists, so the commands cannot be repeated. */
export function expiredAddressLine(temporaryServer: string | undefined): string[] {
  return temporaryServer === undefined
    ? []
    : [
        `The curl commands show the requests. They cannot be repeated, because this no longer exists: ${temporaryServer}.`,
      ];
}
