import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom, type RandomSource } from "../../contracts/engine/random.ts";

const FINDINGS_SHOWN = 20;

/** A part of the soak while it runs: its time, its random source and its results. */
export interface Soak {
  readonly seed: number;
  readonly random: RandomSource;
  /** Contains all files of the part; removed at its end. */
  readonly folder: string;
  /** Whether it may begin something more. */
  goesOn(): boolean;
  /** What is announced must have happened at the end. */
  count(what: string, times?: number): void;
  find(finding: string): void;
  /** Ends the part early: after so many findings more of them tell nothing. */
  readonly isBroken: boolean;
}

/** Runs a part for the seconds and with the seed of the command line, and prints its result. */
export async function soakPart(
  counted: readonly string[],
  act: (soak: Soak) => Promise<void>,
): Promise<void> {
  const [seconds = 10, seed = 1] = process.argv.slice(2).map(Number);
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  const until = performance.now() + seconds * 1000;
  const counts = Object.fromEntries(counted.map((what) => [what, 0]));
  const findings: string[] = [];
  const soak: Soak = {
    seed,
    random: createRandom(seed),
    folder,
    goesOn: () => performance.now() < until && findings.length < FINDINGS_SHOWN,
    count(what, times = 1) {
      counts[what] = (counts[what] ?? 0) + times;
    },
    find: (finding) => void findings.push(finding),
    get isBroken() {
      return findings.length >= FINDINGS_SHOWN;
    },
  };
  try {
    await act(soak);
  } catch (error) {
    findings.push(String((error as Error).stack));
  }
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify({ counts, findings: findings.slice(0, FINDINGS_SHOWN) })}\n`);
  process.exit(0);
}
