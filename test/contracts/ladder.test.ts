import { expect, it } from "vitest";
import type { CaseResult } from "../../contracts/engine/case.ts";
import type { Need } from "../../contracts/engine/needs.ts";
import { ladderLines, ladderOf } from "../../contracts/report/ladder.ts";

const result = (id: string, verdict: CaseResult["verdict"], more: Partial<CaseResult>): CaseResult => ({
  ...{
    id,
    section: "4.1",
    title: id,
    requirements: ["4.1-1"],
    verdict,
    findings: [],
    checkedRequirements: [],
  },
  ...{ requests: 0, wallMs: 0 },
  ...more,
});
const lacks = (id: string, ...lacking: Need[]) => result(id, "UNSUPPORTED", { lacking });
const foundMissing = (id: string, text: string) =>
  result(id, "UNSUPPORTED", {
    findings: [{ verdict: "UNSUPPORTED", blame: "target", requirement: null, section: "4.1", text }],
  });

const RESULTS = [
  result("4.1/a", "PASS", {}),
  lacks("4.1/b", "clock"),
  lacks("4.1/c", "clock", "object_store"),
  lacks("4.1/d", "clock"),
  lacks("4.1/e", "faults", "clock"),
  foundMissing("4.1/f", "needs POST /threads, which the server does not have"),
  foundMissing("4.1/g", "the request budget is spent (--budget)"),
];

it("begins with what lets the most cases run, and counts each case once", () => {
  const { checked, rungs, emulatorOnly } = ladderOf(RESULTS);
  expect([checked, emulatorOnly]).toEqual([1, 1]);
  expect(rungs.map(({ add, more, checked: sum }) => [add.replace(/ \(.*/, ""), more, sum])).toEqual([
    ["a target that lets the harness advance its clock", 2, 3],
    ["a target that has an object store that the harness can read", 1, 4],
    ["POST /threads", 1, 5],
  ]);
});

it("is not shown where nothing can be added", () => {
  expect(ladderLines([result("4.1/a", "PASS", {}), lacks("4.1/e", "faults")], false)).toEqual([]);
  expect(ladderLines(RESULTS, false).join("\n")).toContain("1 case can run only on an emulator");
});
