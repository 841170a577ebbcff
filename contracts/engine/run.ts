import { type Case, type CaseResult, sectionOfCase } from "./case.ts";
import { BudgetSpent, CaseEnded } from "./contract.ts";
import type { Exchange } from "./exchange.ts";
import { NEEDS } from "./needs.ts";
import { openContract } from "./open-contract.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { createRandom } from "./random.ts";
import type { Target } from "./target.ts";
import { type Finding, VERDICTS, type Verdict, worst } from "./verdict.ts";

/** Which cases are asked, and when to stop. */
export interface RunOptions {
  readonly cases: readonly Case[];
  readonly seed?: number;
  /** Makes the names that are drawn differ between runs; by default that of the target. */
  readonly nonce?: string;
  /** No further case is begun after a verdict as grave as this. */
  readonly stopAt?: Verdict;
  /** Requests in all; the cases that come after are UNSUPPORTED. */
  readonly budget?: number;
  readonly oracle?: Oracle;
  /** Command that asks one case again, with `<case>` in it. */
  readonly again?: string;
  /** What was as it should be is kept too, to be compared with another target. */
  readonly keepHeld?: boolean;
  /** Told of each result as it comes. */
  readonly onResult?: (result: CaseResult, done: number, total: number) => void;
}

/** What came of a run; `wallMs` is time of the wall clock. */
export interface RunReport {
  readonly target: string;
  /** What the addresses in it lead to, where that is gone after the run. */
  readonly fleeting?: string;
  readonly seed: number;
  /** Command that asks one case again, with `<case>` in it; undefined where nobody knows one. */
  readonly again?: string;
  /** In the order of the cases. */
  readonly results: readonly CaseResult[];
  readonly requests: number;
  readonly wallMs: number;
}

const NO_CASE = "No case is selected: a run that asks nothing proves nothing.";
const BUDGET_SPENT = "the request budget is spent (--budget)";
/** A server that has gone away is not asked all the rest. */
const MAX_SILENT = 3;
const TARGET_GONE = `could not be asked: the target gave no answer in the ${MAX_SILENT} cases before; see whether it runs`;

/** Asks a target every case. */
export async function runCases(target: Target, options: RunOptions): Promise<RunReport> {
  const { cases, seed = 1, nonce = target.nonce ?? "", stopAt, budget = Number.POSITIVE_INFINITY } = options;
  if (cases.length === 0) throw new Error(NO_CASE);
  const results: (CaseResult | undefined)[] = [];
  const startedAt = target.now();
  let requests = 0;
  let next = 0;
  let stopped = false;
  let silent = 0;
  let done = 0;

  const spend = async () => {
    if (requests >= budget) return false;
    requests += 1;
    return true;
  };

  async function resultFor(testCase: Case): Promise<CaseResult> {
    const reason = skipReason(target, testCase, requests >= budget, silent >= MAX_SILENT);
    if (reason) return resultOf(testCase, [unsupported(testCase, reason)]);
    const { result, isSilent } = await runCase(target, testCase, { ...options, seed, nonce, spend });
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
  const known = results.filter((result) => result !== undefined);
  return {
    target: target.name,
    ...(target.fleeting !== undefined && { fleeting: target.fleeting }),
    seed,
    ...(options.again !== undefined && { again: options.again }),
    results: known,
    requests,
    wallMs: Math.round(target.now() - startedAt),
  };
}

interface CaseRun extends Pick<RunOptions, "oracle" | "keepHeld"> {
  readonly seed: number;
  readonly nonce: string;
  readonly spend: () => Promise<boolean>;
}

interface CaseOutcome {
  readonly result: CaseResult;
  /** It broke off because no reply came. */
  readonly isSilent: boolean;
}

async function runCase(
  target: Target,
  testCase: Case,
  { seed, nonce, oracle, keepHeld = false, spend }: CaseRun,
): Promise<CaseOutcome> {
  const startedAt = target.now();
  const session = await target.open(testCase.settings).catch((error: Error) => error);
  if (session instanceof Error) {
    const closed = errorFinding(testCase, "the target could not be opened", session);
    return { result: resultOf(testCase, [closed]), isSilent: isUnreachable(session) };
  }
  // What is drawn by number repeats with the seed; names do not, where another run may have left them.
  const draw = {
    ...createRandom(seed, testCase.id, nonce),
    integer: createRandom(seed, testCase.id).integer,
  };
  const open = openContract({
    session,
    offers: target.offers,
    keepHeld,
    open: (settings) => target.open(settings),
    draw,
    oracle,
    spend,
  });
  let isSilent = false;
  try {
    await testCase.run(open.contract);
  } catch (error) {
    isSilent = isUnreachable(error);
    const known = open.findings.some(({ verdict, blame }) => verdict === "FAIL" && blame === "target");
    // What a case could not ask any more is nobody's fault.
    if (error instanceof BudgetSpent) open.findings.push(unsupported(testCase, BUDGET_SPENT));
    else if (!known)
      open.findings.push(open.redact(errorFinding(testCase, "the case could not go on", error, open.last)));
    else if (!(error instanceof CaseEnded))
      open.findings.push(open.redact(followUpFinding(testCase, error, open.last)));
  }
  const { findings, held, requests } = open;
  const questions = [...open.asked];
  await open.close();
  const wallMs = Math.round(target.now() - startedAt);
  const more = { asked: questions, ...(held && { held }), requests, wallMs };
  return { result: resultOf(testCase, findings, more), isSilent };
}

/** Why a case is not asked, if anything is in its way. */
function skipReason(target: Target, { needs }: Case, isSpent: boolean, isGone: boolean): string | undefined {
  if (isSpent) return BUDGET_SPENT;
  const missing = needs.find((need) => !target.offers.has(need));
  if (missing) return `needs a target that ${NEEDS[missing]}`;
  return isGone ? TARGET_GONE : undefined;
}

function isUnreachable(error: unknown): boolean {
  return (error as Error).name === "Unreachable";
}

/** A case that breaks off has met something that nobody thought of, on one side or the other. */
function errorFinding(testCase: Case, what: string, error: unknown, exchange?: Exchange): Finding {
  const { name, message } = error as Error;
  const detail = name === "CaseEnded" || name === "Unreachable" ? message : `${name}: ${message}`;
  return {
    verdict: "FAIL",
    blame: name === "CaseEnded" || name === "Unreachable" ? "target" : "harness",
    requirement: testCase.requirements[0] ?? null,
    section: sectionOfCase(testCase.id),
    text: `${what}: ${detail}`,
    ...(exchange && { exchange }),
  };
}

/** Whoever was answered wrongly may well stumble over it. */
function followUpFinding(testCase: Case, error: unknown, exchange: Exchange | undefined): Finding {
  const what = "after what is found here the case could not go on, and more may be wrong";
  return { ...errorFinding(testCase, what, error, exchange), blame: "target" };
}

function unsupported(testCase: Case, why: string): Finding {
  const requirement = testCase.requirements[0] ?? null;
  const section = sectionOfCase(testCase.id);
  return { verdict: "UNSUPPORTED", blame: "target", requirement, section, text: why };
}

function resultOf(
  { id, title, requirements }: Case,
  findings: readonly Finding[],
  run: Pick<CaseResult, "asked" | "held" | "requests" | "wallMs"> = { asked: [], requests: 0, wallMs: 0 },
): CaseResult {
  return { id, section: sectionOfCase(id), title, requirements, verdict: worst(findings), findings, ...run };
}
