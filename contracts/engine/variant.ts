import type { RequirementId } from "../spec/requirements.ts";
import type { Case, CaseResult } from "./case.ts";
import type { WireReply, WireRequest } from "./http-message.ts";
import { type Change, changed } from "./mutant.ts";
import type { CaseSettings } from "./needs.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { runCases } from "./run.ts";
import type { ObjectStore, Session, Target } from "./target.ts";
import { type Verdict, worst } from "./verdict.ts";

/** A server that obeys the specification and differs where it is silent: no case may FAIL on it. */
export interface Variant extends Change {
  readonly id: string;
  /** The row that leaves open what differs. */
  readonly requirement: RequirementId;
  /** What differs, as reports show it. */
  readonly differs: string;
}

/** The variants of one row: `{ "list-in-envelope": { differs, … } }`. */
export function variantsOf(
  requirement: RequirementId,
  rows: Readonly<Record<string, Omit<Variant, "id" | "requirement">>>,
): readonly Variant[] {
  return Object.entries(rows).map(([slug, row]) => ({ id: `${requirement}/${slug}`, requirement, ...row }));
}

export interface VariantResult {
  readonly variant: Variant;
  /** The cases on which what differs has an effect. */
  readonly cases: number;
  /** The gravest verdict; FAIL is a defect of the suites. */
  readonly verdict: Verdict;
  /** The cases that FAIL on it, each a defect of the suites. */
  readonly failedBy: readonly CaseResult[];
}

export interface VariantOptions {
  readonly cases: readonly Case[];
  readonly variants: readonly Variant[];
  /** An emulator target with settings laid over those of its cases. */
  readonly targetWith: (settings: CaseSettings) => Target;
  readonly oracle?: Oracle;
  readonly signal?: AbortSignal;
  readonly onVariant?: (result: VariantResult, done: number) => void;
}

/** What a case did on the emulator as it is: enough to tell whether a change would have an effect on it. */
interface Footprint {
  readonly exchanges: (readonly [request: WireRequest, reply: WireReply])[];
  usesObjects: boolean;
  usesFiles: boolean;
  usesReceivers: boolean;
}

/** Runs against each variant the cases that notice its difference at all; a signal ends it with the results so far. */
export async function runVariants(options: VariantOptions): Promise<readonly VariantResult[]> {
  const { variants, targetWith } = options;
  if (variants.length === 0) return [];
  const cases = sampled(options.cases);
  const usual = targetWith({});
  const results: VariantResult[] = [];
  try {
    const footprints = await footprintsOf(usual, cases, options.signal);
    for (const variant of variants) {
      if (options.signal?.aborted) break;
      const result = await runVariant(variant, usual, await affected(variant, cases, footprints), options);
      if (options.signal?.aborted) break;
      results.push(result);
      options.onVariant?.(result, results.length);
    }
    return results;
  } finally {
    await usual.close();
  }
}

async function runVariant(
  variant: Variant,
  usual: Target,
  cases: readonly Case[],
  { targetWith, oracle, signal }: VariantOptions,
): Promise<VariantResult> {
  if (cases.length === 0) return { variant, cases: 0, verdict: "PASS", failedBy: [] };
  const target = variant.settings ? targetWith(variant.settings) : usual;
  const { results } = await runCases(changed(target, variant), { cases, oracle, signal });
  if (target !== usual) await target.close();
  const failedBy = results.filter(({ verdict }) => verdict === "FAIL");
  return { variant, cases: cases.length, verdict: worst(results), failedBy };
}

/** Of the cases that are made of the rows of one table the first ones speak for all. */
const ALIKE = /^7\/fuzz-|^8\.5\/(?!identities|system|both|paths|ingest)/;
const MAX_ALIKE = 4;

function sampled(cases: readonly Case[]): readonly Case[] {
  const requestCounts = new Map<string, number>();
  return cases.filter(({ id }) => {
    // What the emulator has beyond the specification, no other server has.
    if (id.startsWith("X/")) return false;
    const [family] = ALIKE.exec(id) ?? [];
    if (family === undefined) return true;
    requestCounts.set(family, (requestCounts.get(family) ?? 0) + 1);
    return (requestCounts.get(family) ?? 0) <= MAX_ALIKE;
  });
}

/** The footprint of each case, by its id. */
async function footprintsOf(
  target: Target,
  cases: readonly Case[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Footprint>> {
  const footprints = new Map<string, Footprint>();
  const observe = ({ id }: Case, session: Session): Session => {
    const footprint = { exchanges: [], usesObjects: false, usesFiles: false, usesReceivers: false };
    footprints.set(id, footprint);
    return observed(session, footprint);
  };
  await runCases(target, { cases, observe, signal });
  return footprints;
}

function observed(session: Session, footprint: Footprint): Session {
  const { send, objects, reach } = session;
  return {
    ...session,
    async send(request) {
      const reply = await send(request);
      footprint.exchanges.push([request, reply]);
      return reply;
    },
    ...(objects && { objects: watched(objects, footprint) }),
    reach: {
      ...reach,
      parquet(bytes) {
        footprint.usesFiles = true;
        return reach.parquet(bytes);
      },
      receiver() {
        footprint.usesReceivers = true;
        return reach.receiver();
      },
    },
  };
}

function watched(store: ObjectStore, footprint: Footprint): ObjectStore {
  const watch =
    <A extends readonly unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      footprint.usesObjects = true;
      return call(...args);
    };
  return { ...store, list: watch(store.list), get: watch(store.get), uploads: watch(store.uploads) };
}

/** The cases on which a change has an effect: it alters at least one of their exchanges, or what else they look at. */
async function affected(
  change: Change,
  cases: readonly Case[],
  footprints: ReadonlyMap<string, Footprint>,
): Promise<readonly Case[]> {
  const affectedCases: Case[] = [];
  for (const one of cases) {
    const footprint = footprints.get(one.id);
    if (change.settings || (footprint && (await leavesTrace(change, footprint)))) affectedCases.push(one);
  }
  return affectedCases;
}

async function leavesTrace(change: Change, footprint: Footprint): Promise<boolean> {
  if (change.objects && footprint.usesObjects) return true;
  if (change.file && footprint.usesFiles) return true;
  if (change.deliveries && footprint.usesReceivers) return true;
  return change.send !== undefined && altersAny(change.send, footprint.exchanges);
}

/** Until its first effect a changed server answers as the unchanged one did. */
async function altersAny(
  send: NonNullable<Change["send"]>,
  exchanges: Footprint["exchanges"],
): Promise<boolean> {
  let current = 0;
  let alters = false;
  const replayed = send(async (request) => {
    const [sentRequest, reply] = exchanges[current] as Footprint["exchanges"][number];
    if (JSON.stringify(request) !== JSON.stringify(sentRequest)) alters = true;
    return reply;
  });
  for (; current < exchanges.length && !alters; current++) {
    const [request, reply] = exchanges[current] as Footprint["exchanges"][number];
    const answer = await replayed(request);
    if (answer.status !== reply.status || answer.text !== reply.text || answer.headers !== reply.headers)
      alters = true;
  }
  return alters;
}
