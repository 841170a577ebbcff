import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  CASES,
  type ContractRun,
  compared,
  comparisonLines,
  countsLine,
  countsOf,
  openOracle,
  REPORTERS,
  type Reporter,
  runContracts,
} from "../../contracts/index.ts";
import { emptySelectors } from "../../contracts/selection.ts";
import type { Target } from "../../contracts/target.ts";
import { type Invocation, UsageError } from "../command.ts";
import { openProgress, print } from "../terminal.ts";
import { at, targetOf, text, wholeNumber } from "./target.ts";

const DRIFT = 3;
/** A service that is not local is not asked without a bound. */
const BUDGET_ELSEWHERE = 2000;

/** `contract run`: 0 when all is well, 1 when a case failed or none was asked, 3 when two servers differ. */
export async function run(invocation: Invocation, selectors: readonly string[]): Promise<number> {
  const { flags } = invocation;
  const reporter = reporterOf(flags);
  refuseUnknown(selectors);
  const target = await targetOf(invocation);
  const other = text(flags, "compare");
  const report = await judge(invocation, target, selectors);
  if (other !== undefined) return compare(invocation, selectors, report, other);
  const whole = report.written(reporter);
  const file = text(flags, "output");
  if (file !== undefined) {
    await writeFile(resolve(invocation.cwd, file), `${whole}\n`);
    if (flags.quiet !== true) print(`${report.target}: ${countsLine(countsOf(report.results))}`);
  } else if (flags.quiet !== true) print(whole);
  return report.ok ? 0 : 1;
}

async function judge({ flags }: Invocation, target: Target, select: readonly string[]): Promise<ContractRun> {
  const progress = openProgress(flags.quiet === true);
  const seed = wholeNumber(flags, "seed");
  const isElsewhere = target.width === 1 && !target.offers.has("receiver");
  const budget = wholeNumber(flags, "budget") ?? (isElsewhere ? BUDGET_ELSEWHERE : undefined);
  try {
    return await runContracts(target, {
      select,
      bail: flags.bail === true,
      strict: flags.strict === true,
      oracle: await openOracle(),
      ...(seed !== undefined && { seed }),
      ...(budget !== undefined && { budget }),
      onResult: ({ id, verdict }, done, total) => progress.say(`${done}/${total} ${verdict} ${id}`),
    });
  } finally {
    progress.clear();
    await target.close();
  }
}

async function compare(
  invocation: Invocation,
  selectors: readonly string[],
  first: ContractRun,
  address: string,
): Promise<number> {
  const { flags } = invocation;
  const second = await judge(invocation, await at(invocation, address), selectors);
  const comparison = compared(first, second);
  if (flags.json === true || flags.report === "json") print(JSON.stringify(comparison, null, 2));
  else if (flags.quiet !== true) for (const line of comparisonLines(comparison)) print(line);
  if (comparison.compared === 0) return 1;
  return comparison.drifts.length > 0 ? DRIFT : 0;
}

function reporterOf(flags: Invocation["flags"]): Reporter {
  const given = text(flags, "report") ?? (flags.json === true ? "json" : "pretty");
  const found = REPORTERS.find((name) => name === given);
  if (!found) throw new UsageError(`--report: "${given}" will not do; give ${REPORTERS.join(", ")}`);
  return found;
}

function refuseUnknown(selectors: readonly string[]): void {
  const unknown = emptySelectors(CASES, selectors);
  if (unknown.length > 0)
    throw new UsageError(`${unknown.join(", ")}: no case is meant by this; see \`emulator contract list\``);
}
