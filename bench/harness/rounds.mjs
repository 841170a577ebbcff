import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInstalled } from "./peers.mjs";
import { endAll } from "./processes.mjs";
import { summary } from "./statistics.mjs";

/**
 * A figure is `{ figure, per, sides, targets, rounds?, warmUps?, needs?, open }`. `open({ folder, rows })` prepares and
 * resolves with `{ round, close }`; `round(side, n)` lets a side work once and resolves with
 * `{ items, wallMs, cpuMs?, peakMb?, bytes? }`. The sides take turns, so that other load on the machine hits all.
 */
export async function measure(figure, { rounds: asked, rows }) {
  const { sides, needs = {}, warmUps = 1 } = figure;
  const rounds = asked ?? figure.rounds ?? 5;
  const missing = Object.entries(needs).flatMap(([side, name]) =>
    isInstalled(name) ? [] : [{ side, name }],
  );
  const there = sides.filter((side) => !missing.some((each) => each.side === side));
  const samples = Object.fromEntries(there.map((side) => [side, []]));
  const folder = await mkdtemp(join(tmpdir(), "emulator-bench-"));
  try {
    const { round, close = async () => {} } = await figure.open({ folder, rows, sides: there });
    try {
      for (let n = -warmUps; n < rounds; n += 1)
        for (const side of there) {
          const sample = await round(side, n);
          if (n >= 0) samples[side].push(costOf(sample));
        }
    } finally {
      await close();
    }
  } finally {
    endAll();
    await rm(folder, { recursive: true, force: true });
  }
  return {
    figure: figure.figure,
    per: figure.per,
    rounds,
    sides: Object.fromEntries(there.map((side) => [side, summaries(samples[side])])),
    targets: figure.targets.map((target) => judged(target, sides[0], samples)),
    missing,
  };
}

/** What one item took, and what the whole round held. */
function costOf({ items, wallMs, cpuMs, peakMb, bytes }) {
  return {
    wallMs: wallMs / items,
    cpuMs: cpuMs === undefined ? undefined : cpuMs / items,
    peakMb,
    bytes: bytes === undefined ? undefined : bytes / items,
  };
}

const QUANTITIES = ["wallMs", "cpuMs", "peakMb", "bytes"];

function summaries(samples) {
  return Object.fromEntries(
    QUANTITIES.map((quantity) => [quantity, summary(samples.map((sample) => sample[quantity]))]),
  );
}

/**
 * A target is a limit and what it is a limit of: with `against`, the speed of the first side as a multiple of that
 * side's (`faster`) or its cost as a multiple (`cost`, of `quantity`); without, the quantity itself (`atMost`).
 */
function judged(target, first, samples) {
  const { of = first, against, faster, cost, atMost, quantity = "wallMs", eachRound } = target;
  const values = (name) =>
    (samples[of] ?? []).flatMap((sample, round) => {
      const peer = against === undefined ? undefined : samples[against]?.[round];
      if (against !== undefined && peer === undefined) return [];
      if (faster !== undefined) return [peer[name] / sample[name]];
      return [peer === undefined ? sample[name] : sample[name] / peer[name]];
    });
  const measured = summary(values(quantity));
  const byCpu = quantity === "wallMs" ? summary(values("cpuMs")) : undefined;
  const limit = faster ?? cost ?? atMost;
  const isMet = ({ median, least }) =>
    faster === undefined
      ? median <= limit
      : median >= limit && (eachRound === undefined || least >= eachRound);
  return {
    of,
    against,
    quantity,
    faster,
    cost,
    atMost,
    eachRound,
    measured,
    byCpu,
    met: measured && isMet(measured),
  };
}
