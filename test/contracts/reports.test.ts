import { describe, expect, it } from "vitest";
import { type CaseRow, type ContractRun, runContracts, suite, type Target } from "../../contracts/index.ts";

/** Nothing is sent there: the cases say at once what they find. */
const SILENT: Target = {
  name: "nobody",
  offers: new Set(),
  width: 1,
  now: () => 0,
  open: async () => ({
    send: () => Promise.reject(new Error("nothing is asked")),
    addressOf: () => undefined,
    identity: {
      apiKey: "key",
      tenantId: "tenant",
      bucket: { name: "", region: "", endpointUrl: null, accessKeyId: "", secretAccessKey: "" },
    },
    reach: {} as never,
    close: async () => undefined,
  }),
  close: async () => undefined,
};

const AGAIN = "emulator contract run <case>";

function judged(rows: Readonly<Record<string, CaseRow>>): Promise<ContractRun> {
  return runContracts(SILENT, { cases: suite(rows), oracle: false, again: AGAIN });
}

/** Five cases that come across a row, and one that is about it. */
function alike(): Promise<ContractRun> {
  const across = (n: number): CaseRow => ({
    title: `case ${n}`,
    requirements: ["4.1-1"],
    run: async (t) => void t.fact("2.1-1", false, `wrong ${n}`, { expected: "right", actual: n }),
  });
  const rows = Object.fromEntries([1, 2, 3, 4].map((n) => [`4.1/across-${n}`, across(n)]));
  return judged({ ...rows, "2.1/about": { ...across(5), requirements: ["2.1-1"] } });
}

describe("what repeats in a report", () => {
  it("stands once under its row, by the case about it first, and the rest in a line each", async () => {
    const run = await alike();
    expect(run.report("pretty").split("\n").slice(0, 9)).toEqual([
      "FAIL §2.1-1: A run has all nine fields with the types shown.",
      "  wrong 5 (2.1/about)",
      '    expected "right"',
      "    actual   5",
      ...[1, 2, 3, 4].map((n) => `  wrong ${n}: expected "right", actual ${n} (4.1/across-${n})`),
      "  fix: change the server",
    ]);
    expect(run.report("md").match(/^### FAIL .*$/gm)).toHaveLength(1);
  });

  it("is shown in full when it is asked for, and where each case stands alone", async () => {
    const run = await alike();
    expect(run.report("pretty", true).match(/^ {4}actual {3}\d/gm)).toHaveLength(5);
    expect(run.report("md", true).match(/^ {2}actual {3}\d/gm)).toHaveLength(5);
    expect(run.report("junit").match(/ {4}actual {3}\d/g)).toHaveLength(5);
    expect(JSON.parse(run.report("json")).results).toHaveLength(5);
  });

  it("merges equal findings of many cases into one", async () => {
    const row: CaseRow = {
      title: "same",
      requirements: ["4.1-1"],
      run: async (t) => void t.fact("4.8-3", false, "a thread is created"),
    };
    const pretty = (await judged({ "4.1/a": row, "4.1/b": row, "4.1/c": row })).report("pretty");
    expect(pretty).toContain("  a thread is created (4.1/a 4.1/b 4.1/c)\n");
  });

  it("has the sections of Markdown in the order of the run, whatever their verdicts", async () => {
    const row = (isMet: boolean): CaseRow => ({
      title: "one",
      requirements: ["4.1-1"],
      run: async (t) => void t.fact("4.1-1", isMet, "a list has ten"),
    });
    const text = (await judged({ "2.1/a": row(true), "4.1/b": row(false) })).report("md");
    expect(text.match(/^\| §\S+/gm)).toEqual(["| §2.1", "| §4.1"]);
  });

  it("is brief about choices, unless they count as failures", async () => {
    const row: CaseRow = {
      title: "chosen",
      requirements: ["4.1-4"],
      run: async (t) => void t.choice("agent.list_order", false, "newest first", { actual: "oldest" }),
    };
    const run = await judged({ "4.1/chosen": row });
    expect(run.report("pretty")).toContain(
      'UNSPECIFIED §4.1-4, agent.list_order: not shown; chosen: newest first\n  newest first: actual "oldest" (4.1/chosen)\n\n',
    );
    expect(run.report("pretty", true)).toContain(
      "  fix: none needed; the specification does not define this, and the emulator behaves differently\n",
    );
  });

  it("shows the actual value after a long expected one, a number that JSON does not have, and an absent value", async () => {
    const row: CaseRow = {
      title: "compared",
      requirements: ["4.1-4"],
      async run(t) {
        t.choice("agent.list_order", false, "first", { expected: "x".repeat(500), actual: Number.NaN });
        t.choice("agent.list_order", false, "second", { expected: 5, actual: undefined });
      },
    };
    const pretty = (await judged({ "4.1/compared": row })).report("pretty");
    expect(pretty).toMatch(/^ {2}first: expected "x{59}…, actual NaN /m);
    expect(pretty).toContain("  second: expected 5, actual absent ");
  });

  it("never leaves out what went wrong in the harness itself", async () => {
    const stumbling = (n: number): CaseRow => ({
      title: "stumbles",
      requirements: ["2.1-1"],
      run: () => Promise.reject(new TypeError(`stumbled ${n}`)),
    });
    const rows = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`2.1/stumbles-${n}`, stumbling(n)]));
    const pretty = (await judged(rows)).report("pretty");
    expect(pretty.match(/TypeError: stumbled \d/g)).toHaveLength(5);
    expect(pretty).toContain("  fix: please report this bug of the contract suites\n");
  });
});
