import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { CASES, type ContractRun, createAddressTarget, runContracts } from "../../../contracts/index.ts";
import { DESTINATION, halfRightServer, type Mistakes, SESSION, THREAD } from "./server.ts";

const KNOWN = { destinationId: DESTINATION, sessionId: SESSION, threadId: THREAD };

let server: Awaited<ReturnType<typeof halfRightServer>> | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** What a user gets of `contract run --target <url> --destination <id> --session <id> --thread <id> --wait 0`. */
async function judged(mistakes: Mistakes, cases = CASES): Promise<ContractRun> {
  server = await halfRightServer(mistakes);
  const target = await createAddressTarget({ url: server.url, ...KNOWN, waitMs: 0, allowWrites: false });
  const run = await runContracts(target, { cases });
  await target.close();
  return run;
}

const failed = ({ results }: ContractRun) =>
  results.flatMap(({ findings }) => findings).filter(({ verdict }) => verdict === "FAIL");

/** Each mistake, with the row that it breaks and a part of the report about it. */
const EXPECTED: Readonly<Record<keyof Mistakes, readonly [row: string, says: RegExp]>> = {
  intervalUnchecked: ["2.5-3", /^interval_hours 169: refused$/],
  endTimeOptional: ["2.5-2", /^a one-off export without end_time is refused$/],
  unknownFieldsTaken: ["2.5-5", /^an unknown name is refused$/],
  runsInObject: ["4.1-1", /^Response body must be array; the reply has \{runs: \[…\]\}$/],
  firstPageOnly: ["4.6-1", /^every export is listed once$/],
  ownStatus: ["3.1-1", /must be equal to one of the allowed values/],
  cancelDeletes: ["4.7-1", /^the export is CANCELLED$/],
  limitIgnored: ["4.1-1", /^the default limit is 10$/],
  selectIgnored: ["4.1-2", /^select=run_id$/],
  errorObject: ["2.3-1", /plain string/],
};

/** The cases that ask about one of these rows, and one that shows an export. */
function casesAbout(rows: ReadonlySet<string>) {
  return CASES.filter(
    ({ id, requirements }) => id === "4.4/read" || requirements.some((row) => rows.has(row)),
  );
}

/** Rows that say the same of a mistake. */
const ALSO: Readonly<Partial<Record<keyof Mistakes, readonly string[]>>> = {
  endTimeOptional: ["2.5-1"],
  ownStatus: ["2.5-7"],
  cancelDeletes: ["4.4-1", "3.1-2"],
  errorObject: ["4.1-3", "7.1-1"],
};

describe("a plain Express server", () => {
  let right: ContractRun;

  beforeAll(async () => {
    right = await judged({});
  });

  it("without mistakes has no FAIL, and all its operations are checked", () => {
    expect(failed(right)).toEqual([]);
    const looked = right.results.filter(({ verdict }) => verdict !== "UNSUPPORTED").map(({ id }) => id);
    // It has six operations; the count must not fall.
    expect(looked.length).toBeGreaterThanOrEqual(40);
    expect(looked).toEqual(
      expect.arrayContaining([
        "2.5/required-fields",
        "2.5/interval-hours",
        "2.5/export-fields-names",
        "2.5/format-version",
        "2.5/filter-malformed",
        "4/content-type",
        "4.1/limit-default",
        "4.1/paging",
        "4.1/select",
        "4.1/refusals",
        "4.1/status-of-ended",
        "4.1/not-found",
        "4.3/create",
        "4.4/read",
        "4.4/unknown-id",
        "4.6/list",
        "4.6/list-all",
        "4.7/stop",
        "7/fuzz-create-bulk-export",
      ]),
    );
  });

  it("says what was not checked, and ends with what to add", () => {
    const lines = right.report("pretty").split("\n");
    expect(lines.some((line) => /^Not checked: \d+ of \d+ cases\./.test(line))).toBe(true);
    const ladder = lines.findIndex((line) =>
      /^\d+ cases checked\. To check more, add in this order/.test(line),
    );
    expect(lines[ladder + 1]).toMatch(/^ {2}\+\d+ \(\d+\): /);
    const { ladder: all } = JSON.parse(right.report("json"));
    expect(all.checked).toBe(right.results.filter(({ verdict }) => verdict !== "UNSUPPORTED").length);
    const sum = all.rungs.reduce((total: number, { more }: { more: number }) => total + more, all.checked);
    expect(sum + all.emulatorOnly).toBe(right.results.length);
    expect(all.rungs.map(({ add }: { add: string }) => add).join()).toContain("--adapter with /clock");
    expect(lines.find((line) => line.startsWith("  §4.2 "))).toMatch(
      /POST \/api\/v1\/bulk-exports\/destinations$/,
    );
    expect(lines.find((line) => line.startsWith("  §4.5 "))).toContain(
      "GET /api/v1/bulk-exports/{export_id}/runs",
    );
  });

  it.each(Object.entries(EXPECTED))("is found out with %s", async (mistake, [row, says]) => {
    const rows = new Set([row, ...(ALSO[mistake as keyof Mistakes] ?? [])]);
    const run = await judged({ [mistake]: true }, casesAbout(rows));
    const findings = failed(run);
    expect(findings).toContainEqual(
      expect.objectContaining({ requirement: row, blame: "target", text: expect.stringMatching(says) }),
    );
    // Nothing else is blamed on the server.
    for (const { requirement } of findings) expect([...rows]).toContain(requirement);
    const pretty = run.report("pretty");
    const block = pretty.slice(pretty.indexOf(`FAIL §${row}`)).split("\n\n")[0] ?? "";
    expect(block.split("\n").length).toBeLessThanOrEqual(20);
    expect(block).toContain(`'${server?.url}/`);
  });
});
