import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import {
  CASES,
  type ContractRun,
  coverage,
  createEmulatorTarget,
  type Oracle,
  openOracle,
  REQUIREMENTS,
  type Requirement,
  runContracts,
  uncovered,
} from "../../contracts/index.ts";
import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { startEmulator } from "../../emulator/runtime/index.ts";

let oracle: Oracle;

beforeAll(async () => {
  oracle = await openOracle("spec", "tables");
});

/** All that are written one by one; `npm run test:target` also runs those that are made for each operation. */
const WRITTEN = CASES.filter(({ id }) => !id.startsWith("7/fuzz-"));

describe("the suites against the emulator", () => {
  let run: ContractRun;

  beforeAll(async () => {
    const target = createEmulatorTarget(startEmulator);
    run = await runContracts(target, { cases: WRITTEN, oracle });
    await target.close();
  });

  it("find nothing", () => {
    const results = run.results.filter(({ verdict }) => verdict !== "PASS");
    expect(
      results.map(({ id, verdict, findings }) => ({
        id,
        verdict,
        findings: findings.map(({ text }) => text),
      })),
    ).toEqual([]);
    expect(run.results.length).toBe(WRITTEN.length);
  });

  it("come to ask about every row that they name", () => {
    const unasked = run.results.flatMap(({ id, requirements, checkedRequirements }) =>
      requirements.filter((row) => !checkedRequirements.includes(row)).map((row) => `${id}: ${row}`),
    );
    expect(unasked).toEqual([]);
  });
});

it("cases wait for files that take longer than the patience of an advance", async () => {
  const target = createEmulatorTarget(startEmulator, { timings: { effect_patience: "PT0.5S" } });
  const { results } = await runContracts(target, { select: ["2.4/abort", "2.4/size"] });
  await target.close();
  expect(results.map(({ id, verdict }) => [id, verdict])).toEqual([
    ["2.4/size", "PASS"],
    ["2.4/abort", "PASS"],
  ]);
});

describe("the ledger", () => {
  it("has a case for every row: shown, chosen, or beyond the specification", () => {
    expect(uncovered(coverage(CASES)).map(({ id }) => id)).toEqual([]);
    const without = CASES.filter(({ requirements }) => !requirements.includes("X-3"));
    expect(uncovered(coverage(without)).map(({ id }) => id)).toEqual(["X-3"]);
  });

  it("names tests that are there, where no case can ask", () => {
    const names = Object.values<Requirement>(REQUIREMENTS).flatMap(({ coveredBy }) => coveredBy ?? []);
    expect(names.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("knows every row that the tables cite", () => {
    const cited = [...Object.values(OPERATIONS), ...Object.values(ASSUMPTIONS)].flatMap(
      (row): readonly string[] => ("requirements" in row ? row.requirements : [row.requirement]),
    );
    expect(cited.filter((id) => !(id in REQUIREMENTS))).toEqual([]);
  });

  it("has a case of its own for every id", () => {
    expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
  });
});

describe("the suites by the profile observed", () => {
  const judge = async (profile: "spec" | "observed", emulated: "spec" | "observed") => {
    const target = createEmulatorTarget(startEmulator, { profile: emulated });
    const select = ["3.1/statuses", "4.1/refusals", "4.1/not-found", "4.8/thread-runs", "2.4/include-bucket"];
    const { results } = await runContracts(target, {
      select,
      profile,
      ...(profile === "spec" && { oracle }),
    });
    await target.close();
    return new Set(results.map(({ verdict }) => verdict));
  };

  it("pass an emulator of that profile, which FAILs by the specification, and the other way round", async () => {
    expect(await judge("observed", "observed")).not.toContain("FAIL");
    expect(await judge("spec", "spec")).toEqual(new Set(["PASS"]));
    expect(await judge("spec", "observed")).toEqual(new Set(["FAIL"]));
  });
});
