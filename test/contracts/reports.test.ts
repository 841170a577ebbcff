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
  it("is shown in full three times, by the cases about it first, and then named", async () => {
    const run = await alike();
    const pretty = run.written("pretty");
    expect(pretty).toMatch(/^5 of 5 cases found something; what is not met stands at the end\.\n\n/);
    expect(pretty.match(/FAIL §2\.1-1 \(target\): wrong \d/g)).toEqual(
      [1, 2, 5].map((n) => `FAIL §2.1-1 (target): wrong ${n}`),
    );
    expect(pretty).toContain(
      "More cases met with the same rows; --verbose shows them in full:\n" +
        "  FAIL §2.1-1\n    4.1/across-3 4.1/across-4\n",
    );
    const md = run.written("md");
    expect(md.match(/^### FAIL .*$/gm)).toHaveLength(3);
    expect(md).toContain("- FAIL §2.1-1: 4.1/across-3 4.1/across-4\n");
  });

  it("is shown each time when it is asked for, and where each case stands alone", async () => {
    const run = await alike();
    expect(run.written("pretty", true).match(/\): wrong \d$/gm)).toHaveLength(5);
    expect(run.written("md", true).match(/^### FAIL .*$/gm)).toHaveLength(5);
    for (const form of ["pretty", "md"] as const)
      expect(run.written(form, true)).not.toContain("met with the same rows");
    expect(run.written("junit").match(/ {4}actual {3}\d/g)).toHaveLength(5);
    expect(JSON.parse(run.written("json")).results).toHaveLength(5);
  });

  it("leaves what is new in a case in full", async () => {
    const rows = Object.fromEntries(
      [1, 2, 3, 4].map((n): [string, CaseRow] => [
        `4.1/both-${n}`,
        {
          title: "two",
          requirements: ["2.1-1"],
          async run(t) {
            t.fact("2.1-1", false, "the first", { actual: n });
            if (n === 4) t.fact("3.1-1", false, "the second", { actual: "new" });
          },
        },
      ]),
    );
    const pretty = (await judged(rows)).written("pretty");
    expect(pretty).toMatch(/4\.1\/both-4 {2}two\n {2}FAIL §2\.1-1 \(target\): the first\n {2}FAIL §3\.1-1/);
    expect(pretty).toContain('    actual   "new"\n');
    expect(pretty).not.toContain("    actual   4\n");
  });

  it("never leaves out what went wrong in the harness itself", async () => {
    const stumbling = (n: number): CaseRow => ({
      title: "stumbles",
      requirements: ["2.1-1"],
      run: () => Promise.reject(new TypeError(`stumbled ${n}`)),
    });
    const rows = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`2.1/stumbles-${n}`, stumbling(n)]));
    expect((await judged(rows)).written("pretty").match(/TypeError: stumbled \d/g)).toHaveLength(5);
  });

  it("tells nothing of cases above where there is one", async () => {
    const row: CaseRow = {
      title: "one",
      requirements: ["2.1-1"],
      run: async (t) => void t.fact("2.1-1", false, "is wrong"),
    };
    expect((await judged({ "2.1/one": row })).written("pretty")).toMatch(/^FAIL {2}2\.1\/one {2}one\n/);
  });
});
