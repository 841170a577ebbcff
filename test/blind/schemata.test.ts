import { expect, it } from "vitest";
import { changesIn } from "./operators.ts";
import { SWITCH_CODE, withSwitches } from "./schemata.ts";

const SOURCE = `
function grade(points, log) {
  if (points < 50) log.push("failed");
  else log.push("passed");
  const { low, high } = { low: points - 1, high: points };
  return [low, high].filter((each) => each > 0);
}
`;

const CHANGES = changesIn(SOURCE).map((change, id) => ({ ...change, id }));

/** What the source does with one of its changes switched on. */
function resultOf(active: number, points: number): unknown {
  const log: string[] = [];
  const code = `globalThis.blindSwitch = undefined; ${SWITCH_CODE}
    globalThis.blindSwitch.active = ${active};
    ${withSwitches(SOURCE, CHANGES)}
    return [...grade(points, log), ...log];`;
  return new Function("log", "points", code)(log, points);
}

/** What a copy of the source with this change in it does. */
function expectedOf({ start, end, text }: (typeof CHANGES)[number], points: number): unknown {
  const log: string[] = [];
  const changedSource = SOURCE.slice(0, start) + text + SOURCE.slice(end);
  const code = `${changedSource} return [...grade(points, log), ...log];`;
  return new Function("log", "points", code)(log, points);
}

it("does nothing while no change is switched on", () => {
  expect(resultOf(-1, 50)).toEqual([49, 50, "passed"]);
  expect(resultOf(-1, 1)).toEqual([1, "failed"]);
});

it.each(CHANGES)("does what a changed source does: $from → $to", (change) => {
  for (const points of [0, 1, 49, 50, 51])
    expect(resultOf(change.id, points)).toEqual(expectedOf(change, points));
});

it("finds a change of each kind", () => {
  const operators = new Set(CHANGES.map(({ operator }) => operator));
  expect([...operators].sort()).toEqual(["boundary", "constant", "removed call", "swapped members"]);
});
