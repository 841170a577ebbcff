import { readFileSync } from "node:fs";
import { VERSION, valueOf } from "./report.mjs";

/** The report in a file. @throws with one line when there is none */
export function readReport(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file} cannot be read as a report (${error.code ?? "it is not JSON"})`);
  }
  if (report?.version !== VERSION || !Array.isArray(report.figures))
    throw new Error(`${file} is not a report of this benchmark; write one with --output`);
  return report;
}

/**
 * What became better or worse, beyond the spread of both reports: multiples of peers, which hardly depend on the
 * machine, and what each side took, if both reports are of the same one.
 */
export function* changes(before, after) {
  const isSame =
    JSON.stringify(before.machine) === JSON.stringify(after.machine) && before.node === after.node;
  if (!isSame)
    yield "The reports are of different machines or versions of Node: only multiples are compared.";
  const speeds = [before, after].map(({ speed }) => speed && `${speed.workloadMs.toFixed(1)} ms`);
  if (speeds[0] && speeds[1]) yield `fixed workload: ${speeds.join(" → ")}`;
  const [olds, news] = [before, after].map(
    ({ figures }) =>
      new Map(figures.flatMap((figure) => [...multiplesOf(figure), ...(isSame ? costsOf(figure) : [])])),
  );
  let same = 0;
  for (const [name, now] of news) {
    const was = olds.get(name);
    if (was === undefined) yield `new: ${name}`;
    else if (now.low > was.high || now.high < was.low) yield changeOf(name, was, now);
    else same += 1;
  }
  for (const name of olds.keys()) if (!news.has(name)) yield `no longer measured: ${name}`;
  yield `${same} within their spread`;
}

function changeOf(name, was, now) {
  const isBetter = now.median > was.median === now.moreIsBetter;
  const [from, to] = [was, now].map(({ quantity, median }) =>
    quantity === undefined ? `${median.toFixed(2)} ×` : valueOf(quantity, median),
  );
  return `${isBetter ? "better" : "worse"}: ${name}: ${from} → ${to}`;
}

function* multiplesOf({ figure, targets = [] }) {
  for (const { of, against, faster, measured, byCpu } of targets) {
    if (against === undefined) continue;
    const moreIsBetter = faster !== undefined;
    const name = `${figure}: ${of} / ${against}`;
    if (measured) yield [name, { ...measured, moreIsBetter }];
    if (byCpu) yield [`${name}, by CPU`, { ...byCpu, moreIsBetter }];
  }
}

function* costsOf({ figure, sides = {} }) {
  for (const [side, summaries] of Object.entries(sides))
    for (const [quantity, summary] of Object.entries(summaries))
      if (summary) yield [`${figure}, ${side}, ${quantity}`, { ...summary, quantity, moreIsBetter: false }];
}
