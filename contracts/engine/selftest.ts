import { REQUIREMENTS } from "../spec/requirements.ts";
import type { Case, CaseResult } from "./case.ts";
import { changed, type Mutant } from "./mutant.ts";
import type { CaseSettings } from "./needs.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { runCases } from "./run.ts";
import type { Target } from "./target.ts";
import { runVariants, type Variant, type VariantResult } from "./variant.ts";
import { type Finding, VERDICTS, type Verdict } from "./verdict.ts";

export interface SelftestOptions {
  readonly cases: readonly Case[];
  readonly mutants: readonly Mutant[];
  readonly variants?: readonly Variant[];
  /** An emulator target with settings laid over those of its cases. */
  readonly targetWith: (settings: CaseSettings) => Target;
  readonly oracle?: Oracle;
  /** Ends the cases at their next request, and the selftest with the results of the servers before. */
  readonly signal?: AbortSignal;
  /** Called with the behaviour of the next server. */
  readonly onServer?: (does: string, done: number, total: number) => void;
}

export interface Selftest {
  readonly results: readonly MutantResult[];
  /** Results of cases that the unmodified server does not pass: they are excluded, and the selftest is invalid. */
  readonly invalidCases: readonly CaseResult[];
  /** Results of the conforming variants, on which no case may FAIL. */
  readonly variantResults: readonly VariantResult[];
}

export interface MutantResult {
  readonly mutant: Mutant;
  /** The case that detected it; null when none did. */
  readonly killedBy: string | null;
  readonly cases: number;
}

/** Runs the cases of each mutant's requirement against it, until one of them detects it, and all cases against the variants. */
export async function selftest(options: SelftestOptions): Promise<Selftest> {
  const { variants = [] } = options;
  const unmodified = options.targetWith({});
  const results: MutantResult[] = [];
  const total = options.mutants.length + variants.length;
  try {
    const selectedCases = options.cases.filter(({ requirements }) =>
      options.mutants.some((mutant) => isAbout(mutant, requirements)),
    );
    const invalidCases = await invalidCasesOf(unmodified, selectedCases, options, total);
    if (options.signal?.aborted) return { results, invalidCases: [], variantResults: [] };
    const validCases = selectedCases.filter(({ id }) => invalidCases.every((result) => result.id !== id));
    for (const mutant of options.mutants) {
      const cases = validCases.filter(({ requirements }) => isAbout(mutant, requirements));
      const result = await runMutant(mutant, unmodified, cases, options);
      if (options.signal?.aborted) break;
      results.push(result);
      options.onServer?.(mutant.wrongBehaviour, results.length, total);
    }
    const onVariant = ({ variant }: VariantResult, done: number) =>
      options.onServer?.(variant.differs, results.length + done, total);
    return { results, invalidCases, variantResults: await runVariants({ ...options, variants, onVariant }) };
  } finally {
    await unmodified.close();
  }
}

function isAbout({ requirement }: Mutant, requirements: readonly string[]): boolean {
  return requirements.includes(requirement);
}

/** Cases that do not pass on the unmodified server cannot detect a mutant. */
async function invalidCasesOf(
  unmodified: Target,
  cases: readonly Case[],
  { oracle, signal, onServer }: SelftestOptions,
  total: number,
): Promise<readonly CaseResult[]> {
  if (cases.length === 0) return [];
  const onResult = ({ id }: CaseResult) => onServer?.(`unmodified emulator: ${id}`, 0, total);
  const { results } = await runCases(unmodified, { cases, onResult, oracle, signal });
  return results.filter(({ verdict }) => verdict !== "PASS");
}

async function runMutant(
  mutant: Mutant,
  unmodified: Target,
  cases: readonly Case[],
  { targetWith, oracle, signal }: SelftestOptions,
): Promise<MutantResult> {
  if (cases.length === 0) return { mutant, killedBy: null, cases: 0 };
  const target = mutant.settings ? targetWith(mutant.settings) : unmodified;
  const stopAt = mutant.mild || REQUIREMENTS[mutant.requirement].kind !== "S" ? "NON-STRICT" : "FAIL";
  const { results } = await runCases(changed(target, mutant), { cases, stopAt, oracle, signal });
  if (target !== unmodified) await target.close();
  const killer = results.find(({ findings }) => findings.some((finding) => isKilling(finding, stopAt)));
  return { mutant, killedBy: killer?.id ?? null, cases: cases.length };
}

/** Whether a finding detects a mutant; errors of the harness do not. */
function isKilling({ verdict, blame }: Finding, least: Verdict): boolean {
  return blame !== "harness" && VERDICTS.indexOf(verdict) >= VERDICTS.indexOf(least);
}
