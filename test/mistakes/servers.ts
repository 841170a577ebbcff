import { runCases } from "../../contracts/engine/run.ts";
import type { Target } from "../../contracts/engine/target.ts";
import { VERDICTS } from "../../contracts/engine/verdict.ts";
import { CASES, type Case, createEmulatorTarget, openOracle } from "../../contracts/index.ts";
import { affected, type Footprints, footprintsOf } from "./footprint.ts";
import { changed, type Row } from "./row.ts";
import { startOf } from "./source.ts";

const oracle = await openOracle("spec", "tables");
const unmodified = await startOf();
/** Shared by the rows that have no settings and edits: its emulators are used again. */
const usual = createEmulatorTarget(unmodified);

/** Generated requests come last, since the written cases notice more. */
const BY_COST = [...CASES].sort((a, b) => Number(isGenerated(a)) - Number(isGenerated(b)));

function isGenerated({ id }: Case): boolean {
  return id.startsWith("7/fuzz-");
}

export function casesAbout(about: string): readonly Case[] {
  const words = about.split(" ");
  return BY_COST.filter(({ id, requirements }) =>
    words.some((word) => id.startsWith(word) || requirements.some((row) => row === word)),
  );
}

/** The first case that notices a mistake as the row says. */
export async function noticedBy(row: Row): Promise<string | undefined> {
  const least = row.finds === "FAIL" ? "FAIL" : "NON-STRICT";
  const results = await resultsOn(row, casesAbout(row.about), least);
  const isEnough = (verdict: (typeof VERDICTS)[number]) =>
    VERDICTS.indexOf(verdict) >= VERDICTS.indexOf(least);
  return results.find(({ findings }) =>
    // What the harness lacks is not noticed.
    findings.some(({ verdict, blame }) => blame !== "harness" && isEnough(verdict)),
  )?.id;
}

/** What the cases do that notice the difference of a conforming server at all. */
export interface Conformance {
  readonly cases: number;
  /** `<case>: <what should have been>` */
  readonly failed: readonly string[];
}

let footprints: Promise<Footprints> | undefined;

export async function conformanceOf(row: Row): Promise<Conformance> {
  const cases = sampled(CASES);
  footprints ??= footprintsOf(usual, cases);
  const affectedCases = await affected(row, cases, await footprints);
  if (affectedCases.length === 0) return { cases: 0, failed: [] };
  const results = await resultsOn(row, affectedCases);
  const failed = results.flatMap(({ id, findings }) =>
    findings.filter(({ verdict }) => verdict === "FAIL").map(({ text }) => `${id}: ${text}`),
  );
  return { cases: affectedCases.length, failed };
}

async function resultsOn(row: Row, cases: readonly Case[], stopAt?: "FAIL" | "NON-STRICT") {
  const target = await targetOf(row);
  try {
    return (await runCases(changed(target, row), { cases, oracle, ...(stopAt && { stopAt }) })).results;
  } finally {
    if (target !== usual) await target.close();
  }
}

async function targetOf({ settings, edit }: Row): Promise<Target> {
  if (!settings && !edit) return usual;
  return createEmulatorTarget(edit ? await startOf(edit) : unmodified, settings);
}

export function closeServers(): Promise<void> {
  return usual.close();
}

/** Of the cases that are made of the rows of one table the first ones speak for all. */
const ALIKE = /^7\/fuzz-|^8\.5\/(?!identities|system|both|paths|ingest)/;
const MAX_ALIKE = 4;

/** Without the cases about what only the emulator has. */
function sampled(cases: readonly Case[]): readonly Case[] {
  const counts = new Map<string, number>();
  return cases.filter(({ id }) => {
    if (id.startsWith("X/")) return false;
    const [family] = ALIKE.exec(id) ?? [];
    if (family === undefined) return true;
    counts.set(family, (counts.get(family) ?? 0) + 1);
    return (counts.get(family) ?? 0) <= MAX_ALIKE;
  });
}
