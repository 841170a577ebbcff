import type { RequirementId } from "../spec/requirements.ts";
import { type Case, type CaseResult, sectionOfCase } from "./case.ts";
import { BudgetSpent, Lacking } from "./contract.ts";
import type { Exchange } from "./exchange.ts";
import { NEEDS, type Need } from "./needs.ts";
import { openContract } from "./open-contract.ts";
import type { Oracle } from "./oracle/oracle.ts";
import type { Profile } from "./profile.ts";
import { createRandom } from "./random.ts";
import type { Session, Target } from "./target.ts";
import { type Finding, VERDICTS, type Verdict, worst } from "./verdict.ts";

/** Which cases run, and when to stop. */
export interface RunOptions {
  readonly cases: readonly Case[];
  readonly seed?: number;
  /** Makes generated names differ between runs; by default the nonce of the target. */
  readonly nonce?: string;
  /** No further case starts after a verdict of this severity. */
  readonly stopAt?: Verdict;
  /** Total number of requests; the cases after it are UNSUPPORTED. */
  readonly budget?: number;
  readonly oracle?: Oracle;
  /** Ends the run at the next request; what was not asked by then is UNSUPPORTED. */
  readonly signal?: AbortSignal;
  /** The basis of the checks; the specification by default. */
  readonly profile?: Profile;
  /** Command that reruns one case, with `<case>` as placeholder. */
  readonly again?: string;
  /** Also records expectations that were met, for a comparison with another target. */
  readonly keepHeld?: boolean;
  /** Sees the session of each case, and may wrap it. */
  readonly observe?: (testCase: Case, session: Session) => Session;
  /** Called with each result. */
  readonly onResult?: (result: CaseResult, done: number, total: number) => void;
}

/** Exchanges that were recorded elsewhere, and what of them is open. */
export interface RecordedTraffic {
  readonly exchanges: number;
  /** Exchanges with other servers, or on paths that the API does not have. */
  readonly foreign: number;
  /** Statements about the recorded operations that no exchange decides, with the number of exchanges. */
  readonly undecided: Readonly<Partial<Record<RequirementId, number>>>;
}

/** The result of a run; `wallMs` is wall-clock time. */
export interface RunReport {
  readonly target: string;
  /** What its addresses point to, if that no longer exists after the run. */
  readonly temporaryServer?: string;
  readonly seed: number;
  /** The results are of recorded exchanges, not of cases. */
  readonly recorded?: RecordedTraffic;
  /** Command that reruns one case, with `<case>` as placeholder; absent when unknown. */
  readonly again?: string;
  /** In the order of the cases. */
  readonly results: readonly CaseResult[];
  readonly requests: number;
  readonly wallMs: number;
  /** Failing findings compared with those of an earlier report. */
  readonly baseline?: { readonly known: number; readonly new: number; readonly gone: number };
  /** A signal ended the run after so many of its cases. */
  readonly interrupted?: { readonly done: number; readonly total: number };
}

const NO_CASE = "No contract case matches the selection, so nothing was checked.";
const INTERRUPTED = "the end of the run, which was interrupted";
const NEEDS_THE_END = `needs ${INTERRUPTED}`;
const BUDGET_SPENT = "the request budget is spent (--budget)";
/** After so many cases without any reply the remaining ones do not run. */
const MAX_SILENT = 3;
const TARGET_GONE = `not run: the server did not respond in the ${MAX_SILENT} previous cases; check that it is running`;

/** Runs the cases against a target. */
export async function runCases(target: Target, options: RunOptions): Promise<RunReport> {
  const {
    cases,
    seed = 1,
    nonce = target.nonce ?? "",
    stopAt,
    signal,
    budget = Number.POSITIVE_INFINITY,
  } = options;
  if (cases.length === 0) throw new Error(NO_CASE);
  const results: (CaseResult | undefined)[] = [];
  const startedAt = target.now();
  let requests = 0;
  let next = 0;
  let stopped = false;
  let silent = 0;
  let done = 0;

  const spend = async () => {
    if (signal?.aborted) throw new Lacking(INTERRUPTED);
    if (requests >= budget) return false;
    requests += 1;
    return true;
  };

  const caseRun = { ...options, seed, nonce, spend, reportedForms: new Set<string>() };

  async function resultFor(testCase: Case): Promise<CaseResult> {
    const reason = signal?.aborted
      ? NEEDS_THE_END
      : skipReason(target, testCase, requests >= budget, silent >= MAX_SILENT);
    if (reason) return skippedResult(target, testCase, reason);
    const { result, isSilent } = await runCase(target, testCase, caseRun);
    silent = isSilent ? silent + 1 : 0;
    return result;
  }

  async function work(): Promise<void> {
    while (next < cases.length && !stopped) {
      const index = next++;
      const testCase = cases[index] as Case;
      const result = await resultFor(testCase);
      results[index] = result;
      done += 1;
      options.onResult?.(result, done, cases.length);
      if (stopAt && VERDICTS.indexOf(result.verdict) >= VERDICTS.indexOf(stopAt)) stopped = true;
    }
  }

  await Promise.all(Array.from({ length: Math.min(target.width, cases.length) }, work));
  const completeResults = results.filter((result) => result !== undefined);
  const cut = completeResults.filter(({ findings }) =>
    findings.some(({ text }) => text === NEEDS_THE_END),
  ).length;
  return {
    target: target.name,
    temporaryServer: target.temporaryServer,
    seed,
    again: options.again,
    results: completeResults,
    requests,
    wallMs: Math.round(target.now() - startedAt),
    interrupted: cut > 0 ? { done: completeResults.length - cut, total: cases.length } : undefined,
  };
}

interface CaseRun extends Pick<RunOptions, "oracle" | "keepHeld" | "observe" | "profile"> {
  readonly seed: number;
  readonly nonce: string;
  readonly spend: () => Promise<boolean>;
  readonly reportedForms: Set<string>;
}

interface CaseOutcome {
  readonly result: CaseResult;
  /** It ended because no reply was received. */
  readonly isSilent: boolean;
}

async function runCase(
  target: Target,
  testCase: Case,
  { seed, nonce, oracle, profile = "spec", keepHeld = false, observe, spend, reportedForms }: CaseRun,
): Promise<CaseOutcome> {
  const startedAt = target.now();
  const opened = await openSession(target, testCase).catch((error: Error) => error);
  if (opened instanceof Lacking)
    return {
      result: resultOf(testCase, [unsupported(testCase, `needs ${opened.message}`)]),
      isSilent: false,
    };
  if (opened instanceof Error) {
    const closedFinding = errorFinding(testCase, "the connection to the server could not be opened", opened);
    return { result: resultOf(testCase, [closedFinding]), isSilent: isUnreachable(opened) };
  }
  const { session, isPrepared } = opened;
  // Numbers repeat with the seed; names also depend on the nonce, since an earlier run may have left the same ones.
  const draw = {
    ...createRandom(seed, testCase.id, nonce),
    integer: createRandom(seed, testCase.id).integer,
  };
  const open = openContract({
    session: observe?.(testCase, session) ?? session,
    offers: target.offers,
    keepHeld,
    open: (settings) => target.open(settings),
    draw,
    oracle,
    profile,
    isPrepared,
    // Two compared servers each say how their replies differ.
    reportedForms: keepHeld ? undefined : reportedForms,
    spend,
  });
  let isSilent = false;
  let stopped: true | undefined;
  try {
    await testCase.run(open.contract);
  } catch (error) {
    isSilent = isUnreachable(error);
    const hasFailed = open.findings.some(({ verdict, blame }) => verdict === "FAIL" && blame === "target");
    // A case that ran out of budget is UNSUPPORTED, not failed.
    if (error instanceof BudgetSpent) open.findings.push(unsupported(testCase, BUDGET_SPENT));
    else if (error instanceof Lacking)
      keepFailures(open.findings, unsupported(testCase, `needs ${error.message}`));
    else if (!hasFailed)
      open.findings.push(
        open.redact(errorFinding(testCase, "the case could not continue", error, open.last)),
      );
    else stopped = true;
  }
  const { findings, metExpectations, requests } = open;
  const checkedRequirements = [...open.checkedRequirements];
  await open.close();
  const wallMs = Math.round(target.now() - startedAt);
  const more = { checkedRequirements, requests, wallMs, stopped, metExpectations };
  return { result: resultOf(testCase, findings, more), isSilent };
}

interface OpenedSession {
  readonly session: Session;
  /** The target was started with the settings that the case names or prefers. */
  readonly isPrepared: boolean;
}

async function openSession(target: Target, { settings, prefers }: Case): Promise<OpenedSession> {
  if (!prefers || !target.offers.has("settings"))
    return { session: await target.open(settings), isPrepared: settings !== undefined };
  try {
    return { session: await target.open(prefers), isPrepared: true };
  } catch (error) {
    if (!(error instanceof Lacking)) throw error;
    return { session: await target.open(), isPrepared: false };
  }
}

/** Only violations count in a case that could not ask its question: what else it came across is asked by others. */
function keepFailures(findings: Finding[], reason: Finding): void {
  const failures = findings.filter(({ verdict }) => verdict === "FAIL");
  findings.splice(0, findings.length, ...failures, reason);
}

/** Why a case does not run; undefined when it does. */
function skipReason(target: Target, testCase: Case, isSpent: boolean, isGone: boolean): string | undefined {
  if (isSpent) return BUDGET_SPENT;
  const [missingNeed] = missingNeeds(target, testCase);
  if (missingNeed) return `needs a target that ${NEEDS[missingNeed]}`;
  return isGone ? TARGET_GONE : undefined;
}

function skippedResult(target: Target, testCase: Case, reason: string): CaseResult {
  const lacking = missingNeeds(target, testCase);
  const result = resultOf(testCase, [unsupported(testCase, reason)]);
  return lacking.length > 0 ? { ...result, lacking } : result;
}

function missingNeeds({ offers }: Target, { needs }: Case): readonly Need[] {
  return needs.filter((need) => !offers.has(need));
}

function isUnreachable(error: unknown): boolean {
  return (error as Error).name === "Unreachable";
}

/** The finding for an unexpected error of a case, on the side of the target or of the harness. */
function errorFinding(testCase: Case, what: string, error: unknown, exchange?: Exchange): Finding {
  const { name, message } = error as Error;
  const detail = name === "CaseEnded" || name === "Unreachable" ? message : `${name}: ${message}`;
  return {
    verdict: "FAIL",
    blame: name === "CaseEnded" || name === "Unreachable" ? "target" : "harness",
    requirement: testCase.requirements[0] ?? null,
    section: sectionOfCase(testCase.id),
    text: `${what}: ${detail}`,
    exchange,
  };
}

function unsupported(testCase: Case, why: string): Finding {
  const requirement = testCase.requirements[0] ?? null;
  const section = sectionOfCase(testCase.id);
  return { verdict: "UNSUPPORTED", blame: "target", requirement, section, text: why };
}

function resultOf(
  { id, title, requirements }: Case,
  findings: readonly Finding[],
  run: Pick<CaseResult, "checkedRequirements" | "metExpectations" | "stopped" | "requests" | "wallMs"> = {
    checkedRequirements: [],
    requests: 0,
    wallMs: 0,
  },
): CaseResult {
  return { id, section: sectionOfCase(id), title, requirements, verdict: worst(findings), findings, ...run };
}
