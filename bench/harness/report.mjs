import { availableParallelism, cpus, totalmem } from "node:os";

export const VERSION = 1;

/** What was measured, and on what; `figures` are added as they come. */
export function newReport() {
  return {
    version: VERSION,
    date: new Date().toISOString(),
    node: process.version,
    machine: {
      platform: `${process.platform} ${process.arch}`,
      processor: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memoryMb: Math.round(totalmem() / 1024 / 1024),
    },
    figures: [],
  };
}

export function headOf({ date, node, machine, speed }) {
  const { platform, processor, cores, memoryMb } = machine;
  const parts = [date.slice(0, 10), `Node ${node}`, platform, `${cores} × ${processor}`];
  if (speed) parts.push(`fixed workload ${speed.workloadMs.toFixed(1)} ms`);
  if (speed?.requestMicros) parts.push(`bare server ${speed.requestMicros.toFixed(0)} µs a request`);
  return [...parts, `${(memoryMb / 1024).toFixed(0)} GB`].join(", ");
}

export const TABLE_HEAD = "| figure | measured | by CPU | goal | |\n|---|---|---|---|---|";

/** The rows of the table for one figure: each target, and what each side took. */
export function* rowsOf({ figure, per, sides, targets, missing, failed }) {
  if (failed !== undefined) return yield `| ${figure} | – | – | – | failed: ${failed} |`;
  const [first] = Object.keys(sides);
  for (const target of targets) {
    const { of, against, measured, byCpu } = target;
    const about = `${figure}${of === first ? "" : `, ${of}`}${against === undefined ? "" : ` / ${against}`}`;
    const verdict = verdictOf(target, missing);
    yield `| ${about} | ${shown(target, measured)} | ${shown(target, byCpu)} | ${goalOf(target)} | ${verdict} |`;
  }
  for (const [side, summaries] of Object.entries(sides))
    yield `| – ${figure}: ${side} | ${costs(summaries)} per ${per} | | | |`;
}

function verdictOf({ of, against, met }, missing) {
  const absent = missing.find(({ side }) => side === against || side === of);
  if (absent) return `not measured: ${absent.name} is missing (bench/README.md)`;
  if (met === undefined) return "not measured here";
  return met ? "met" : "not met";
}

function costs({ wallMs, cpuMs, peakMb, bytes }) {
  const parts = [
    wallMs && duration(wallMs.median),
    cpuMs && `${duration(cpuMs.median)} of CPU`,
    peakMb && valueOf("peakMb", peakMb.median),
    bytes && valueOf("bytes", bytes.median),
  ];
  return parts.filter(Boolean).join(", ");
}

function goalOf({ faster, cost, atMost, quantity, eachRound }) {
  if (faster !== undefined) return `≥ ${faster} ×${eachRound ? `, each round ≥ ${eachRound} ×` : ""}`;
  if (cost !== undefined) return `≤ ${cost} ×`;
  const each = eachRound === undefined ? "" : `, each round ≤ ${valueOf(quantity, eachRound)}`;
  return `≤ ${valueOf(quantity, atMost)}${each}`;
}

function shown({ atMost, quantity, faster, eachRound }, summary) {
  if (summary === undefined) return "–";
  const { median, low, high, least, most } = summary;
  const worst = faster === undefined ? most : least;
  const [middle, from, to, last] = [median, low, high, worst].map((value) =>
    atMost === undefined ? value.toFixed(2) : valueOf(quantity, value),
  );
  const spread = `${from}–${to}${eachRound === undefined ? "" : `, worst ${last}`}`;
  return `${middle}${atMost === undefined ? " ×" : ""} (${spread})`;
}

export function valueOf(quantity, value) {
  if (quantity === "peakMb") return `${value.toFixed(0)} MB`;
  if (quantity !== "bytes") return duration(value);
  return value >= 10_240 ? `${(value / 1024).toFixed(1)} kB` : `${value.toFixed(1)} bytes`;
}

function duration(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 1 ? `${ms.toFixed(1)} ms` : `${(ms * 1000).toFixed(1)} µs`;
}
