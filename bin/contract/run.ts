import { variableOf } from "../../contracts/engine/exchange.ts";
import { emptySelectors, selectCases } from "../../contracts/engine/selection.ts";
import type { Target } from "../../contracts/engine/target.ts";
import {
  CASES,
  type Case,
  type CaseResult,
  type ContractRun,
  compareRuns,
  comparisonReport,
  contractReport,
  isSuccessful,
  ORACLES,
  type Oracle,
  openOracle,
  type ReportModel,
  runContracts,
} from "../../contracts/index.ts";
import { comparedWithBaseline } from "../../contracts/report/baseline.ts";
import { shellWord } from "../../emulator/client/shell.ts";
import { partOf } from "../../scenarios/shard.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";
import { programCall } from "../program-name.ts";
import { openProgress } from "../progress.ts";
import { refuseEmpty, shardOf } from "../replay/bounds.ts";
import { type Format, formatOf, publish, refuseUnwritable } from "../report-output.ts";
import { printError } from "../terminal.ts";
import { countOf, FROM_ZERO, textOf, wordOf } from "../values.ts";
import { baselineOf } from "./baseline.ts";
import { type OpenTargets, openTargets } from "./open-targets.ts";
import { loadOptional } from "./optional-package.ts";
import { otherOf, profileOf, targetOf } from "./target.ts";

const DRIFT = 3;
/** Default request budget for a server that is not local. */
const BUDGET_ELSEWHERE = 2000;

/** `contract run`: exit code 0 on success, 1 when a case failed or none was run, 3 when two servers differ. */
export async function run(invocation: Invocation, selectors: readonly string[]): Promise<number> {
  const { flags } = invocation;
  const format = formatFor(invocation);
  refuseUnknown(selectors);
  if (flags.compare === undefined && flags["compare-api-key"] !== undefined)
    throw new UsageError("--compare-api-key: it is only valid with --compare; add --compare, or remove it");
  for (const name of ["seed", "budget"]) countOf(invocation, name, FROM_ZERO);
  await oracleOf(flags);
  await refuseUnwritable(invocation);
  const targets = openTargets();
  try {
    const runAll = flags.compare === undefined ? runTargets : compareTargets;
    const outcome = await runAll(invocation, selectors, targets);
    // A closed pipe during the report ends the process.
    await targets.close();
    publish(invocation, outcome.model, {
      format,
      page: flags.compare === undefined ? "contract" : "comparison",
    });
    return targets.exitCode ?? outcome.exitCode;
  } finally {
    await targets.close();
  }
}

/** The outcome of a run. */
interface ContractOutcome {
  readonly exitCode: number;
  readonly model: ReportModel;
}

async function runTargets(
  invocation: Invocation,
  selectors: readonly string[],
  targets: OpenTargets,
): Promise<ContractOutcome> {
  const { cases, part } = casesOf(invocation, selectors);
  const baseline = baselineOf(invocation, cases);
  const target = await targets.open(() => targetOf(invocation));
  const run = await checkTarget(invocation, targets, target, cases);
  const { verbose } = invocation.flags;
  const isStrict = invocation.flags.strict === true;
  const report = baseline ? comparedWithBaseline(run, baseline, isStrict) : run;
  return {
    exitCode: isSuccessful(report, isStrict) ? 0 : 1,
    model: { ...contractReport(report, isStrict, verbose === true), part },
  };
}

async function checkTarget(
  invocation: Invocation,
  { during, interrupted }: OpenTargets,
  target: Target,
  cases: readonly Case[],
  nonce = target.nonce,
): Promise<ContractRun> {
  const { flags } = invocation;
  const progress = openProgress(invocation, "cases");
  interrupted.addEventListener("abort", () => printError(`stopped: ${progress.account()}`));
  const seed = countOf(invocation, "seed", FROM_ZERO);
  const budget =
    countOf(invocation, "budget", FROM_ZERO) ?? (target.elsewhere ? BUDGET_ELSEWHERE : undefined);
  try {
    const options = {
      cases,
      keepHeld: flags.compare !== undefined,
      bail: flags.bail === true,
      strict: flags.strict === true,
      oracle: await oracleOf(flags),
      profile: profileOf(flags),
      signal: interrupted,
      again: againCommand(flags),
      ...(seed !== undefined && { seed }),
      ...(budget !== undefined && { budget }),
      ...(nonce !== undefined && { nonce }),
      onResult: ({ id, verdict }: CaseResult, done: number, total: number) =>
        progress.show(`${verdict} ${id}`, done, total),
    };
    return await during(() => runContracts(target, options));
  } finally {
    progress.clear();
  }
}

/** The oracle that `--oracle` names. Throws `UsageError` for an unknown name and for a missing package. */
async function oracleOf(flags: Invocation["flags"]): Promise<Oracle> {
  const oracle = wordOf({ flags }, "oracle", ORACLES) ?? "tables";
  return loadOptional("--oracle", "@stoplight/prism-http@5", () => openOracle(profileOf(flags), oracle));
}

/** The selected cases, or the part of them that `--shard` names. */
function casesOf({ flags }: Invocation, selectors: readonly string[]) {
  const selectedCases = selectCases(CASES, selectors);
  const { items: cases, part } = partOf(selectedCases, ({ id }) => id, shardOf(flags));
  refuseEmpty(part, selectedCases.length, "case");
  return { cases, part };
}

/** Runs the second server first: cases it cannot run are skipped on the first. */
async function compareTargets(
  invocation: Invocation,
  selectors: readonly string[],
  targets: OpenTargets,
): Promise<ContractOutcome> {
  const { cases, part } = casesOf(invocation, selectors);
  const secondTarget = await targets.open(() => otherOf(invocation));
  const target = await targets.open(() => targetOf(invocation));
  const second = await checkTarget(invocation, targets, secondTarget, cases);
  const able = second.results.filter(({ verdict }) => verdict !== "UNSUPPORTED").map(({ id }) => id);
  if (able.length === 0)
    throw new CommandFailure(`${second.target}: the server lacks the prerequisites of every selected case`);
  const rest = cases.filter(({ id }) => able.includes(id));
  const first = await checkTarget(invocation, targets, target, rest, secondTarget.nonce);
  const comparison = compareRuns(first, second);
  return {
    exitCode: comparison.compared === 0 ? 1 : comparison.drifts.length > 0 ? DRIFT : 0,
    model: { ...comparisonReport(comparison), part },
  };
}

/** Flags that select servers and requests, not the report; repeated in the command that reruns a case. */
const CASE_COMMAND =
  "target eu-url agent-url world assistant tenant-id destination session thread adapter wait s3 s3-bucket s3-region allow-writes profile seed strict";

/** Secret flags, and the shell variables printed in their place. */
const HIDDEN: Readonly<Record<string, string>> = {
  "api-key": "API_KEY",
  "s3-access-key-id": "AWS_ACCESS_KEY_ID",
  "s3-secret-access-key": "AWS_SECRET_ACCESS_KEY",
};

/** The command that reruns one case, without secrets. */
function againCommand(flags: Invocation["flags"]): string {
  const values = CASE_COMMAND.split(" ").flatMap((name) => {
    const value = flags[name];
    return value === undefined
      ? []
      : [value === true ? `--${name}` : `--${name} ${shellWord(String(value))}`];
  });
  const hidden = Object.entries(HIDDEN).flatMap(([name, variable]) =>
    flags[name] === undefined ? [] : [`--${name} "$${variable}"`],
  );
  // A header may be a key.
  const headers = textOf({ flags }, "header")
    ?.split("\n")
    .map((line) => line.slice(0, line.indexOf(":")))
    .map((name) => `--header "${name}: $${variableOf(name)}"`);
  return [`${programCall()} contract run <case>`, ...values, ...hidden, ...(headers ?? [])].join(" ");
}

function formatFor(invocation: Invocation): Format {
  const format = formatOf(invocation);
  if (format === "junit" && invocation.flags.compare !== undefined)
    throw new UsageError(
      "--report: junit describes one server only; with --compare give pretty, json, md or html",
    );
  return format;
}

function refuseUnknown(selectors: readonly string[]): void {
  const unknown = emptySelectors(CASES, selectors);
  if (unknown.length > 0)
    throw new UsageError(`${unknown.join(", ")}: no case matches; run "emulator contract list" for a list`);
}
