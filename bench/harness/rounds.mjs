import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInstalled } from "./peers.mjs";
import { endAll } from "./processes.mjs";
import { summary } from "./statistics.mjs";

/** A quick measurement has no more rounds than this. */
const QUICK_ROUNDS = 3;
/** What a round may take, or its preparation: a server that does not answer ends its figure, not the bench. */
const MINUTES = 15;

/**
 * A figure is `{ figure, per, sides, targets, rounds?, warmUps?, minutes?, needs?, quick?, open }`. `open({ folder, rows })` prepares and
 * resolves with `{ round, close }`; `round(side, n)` lets a side work once and resolves with
 * `{ items, wallMs, cpuMs?, peakMb?, bytes? }`. The sides take turns, so that other load on the machine hits all.
 * `quick` has the `rounds`, `warmUps` and `rows` of a quick measurement where they are others.
 */
export async function measure(figure, { rounds: asked, rows: askedRows, isQuick }) {
  const { sides, needs = {}, minutes = MINUTES } = figure;
  const quick = isQuick ? { rounds: Math.min(figure.rounds ?? 5, QUICK_ROUNDS), ...figure.quick } : {};
  const rounds = asked ?? quick.rounds ?? figure.rounds ?? 5;
  const warmUps = quick.warmUps ?? figure.warmUps ?? 1;
  const rows = askedRows ?? quick.rows;
  const missing = Object.entries(needs).flatMap(([side, name]) =>
    isInstalled(name) ? [] : [{ side, name }],
  );
  const there = sides.filter((side) => !missing.some((each) => each.side === side));
  const samples = Object.fromEntries(there.map((side) => [side, []]));
  const folder = await mkdtemp(join(tmpdir(), "emulator-bench-"));
  try {
    const { round, close = async () => {} } = await within(
      minutes,
      figure.open({ folder, rows, sides: there }),
    );
    for (let n = -warmUps; n < rounds; n += 1)
      for (const side of there) {
        const sample = await within(minutes, round(side, n));
        if (n >= 0) samples[side].push(costOf(sample));
      }
    await within(minutes, close());
  } finally {
    endAll();
    await rm(folder, { recursive: true, force: true });
  }
  return {
    figure: figure.figure,
    per: figure.per,
    rounds,
    // Fewer, or more, than the figure has by itself.
    rows,
    sides: Object.fromEntries(there.map((side) => [side, summaries(samples[side])])),
    targets: figure.targets.map((target) => judged(target, sides[0], samples)),
    missing,
  };
}

/** The same as the promise, unless that takes longer. */
async function within(minutes, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${minutes} minutes`)), minutes * 60_000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
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
 * side's (`faster`) or its cost as a multiple (`cost`, of `quantity`); without, the quantity itself (`atMost`). It is about
 * the median; `eachRound` is a limit for every round.
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
  const isMet = ({ median, least, most }) =>
    faster === undefined
      ? median <= limit && (eachRound === undefined || most <= eachRound)
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
