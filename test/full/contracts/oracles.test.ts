import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import {
  CASES,
  createEmulatorTarget,
  type Oracle,
  type OracleFinding,
  openOracle,
  runContracts,
} from "../../../contracts/index.ts";
import type { Operation } from "../../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../../contracts/spec/operations.ts";
import { startEmulator } from "../../../emulator/runtime/index.ts";

const ID = "0a91a355-8a88-422c-9546-72c183b95b5c";
const JSON_TYPE = { "content-type": "application/json" };

let prism: Oracle;
let tables: Oracle;

beforeAll(async () => {
  [prism, tables] = await Promise.all([openOracle("spec", "prism"), openOracle("spec", "tables")]);
});

type Request = Parameters<Oracle["check"]>[0];
type Reply = Parameters<Oracle["check"]>[1];

/** What both find in an exchange; it is noted where they differ. */
async function judge(original: Omit<Request, "region">, reply: Reply, differences: unknown[]) {
  const request = { region: "us", ...original } as const;
  const [own, independent] = await Promise.all(
    [tables, prism].map(async (oracle) => (await oracle.check(request, reply, new Set())).map(lineOf).sort()),
  );
  if (own?.join("\n") !== independent?.join("\n")) differences.push({ request, reply, own, independent });
  return own ?? [];
}

function lineOf({ verdict, blame, requirement, assumption, text }: OracleFinding): string {
  return `${verdict} ${blame} ${requirement} ${assumption} ${text}`;
}

const ROWS = Object.entries<Operation>(OPERATIONS);
const BODIES = [undefined, null, [], {}, [{}], "x", 7, { detail: "x" }, [ID], { id: 7, run_id: "no id" }];
const OTHER_TYPES: readonly Request["headers"][] = [
  { "content-type": "text/html; charset=utf-8" },
  { "content-type": "none" },
  {},
];

const textOf = (body: unknown) => (body === undefined ? "" : JSON.stringify(body));
const pathOf = ({ path }: Operation, id: string) => path.replaceAll(/\{\w+\}/g, id);

describe("the oracle of the tables and Prism", () => {
  it.each(ROWS)("say the same of replies to %s", async (_, row) => {
    const request = { method: row.method, path: pathOf(row, ID), headers: {} };
    const differences: unknown[] = [];
    let findings = 0;
    const replies = [
      ...BODIES.map((body) => ({ headers: JSON_TYPE, text: textOf(body) })),
      ...OTHER_TYPES.map((headers) => ({ headers, text: "[7]" })),
    ];
    const statuses = [row.reply.status, ...row.refusals, 299, 418, 500];
    for (const reply of statuses.flatMap((status) => replies.map((each) => ({ status, ...each }))))
      findings += (await judge(request, reply, differences)).length;
    expect(differences).toEqual([]);
    expect(findings).toBeGreaterThan(0);
  });

  it.each(ROWS)("say the same of requests to %s", async (_, row) => {
    const changes: Partial<Request>[] = [];
    const reply = { status: row.reply.status, headers: JSON_TYPE, text: "" };
    const { method } = row;
    const path = pathOf(row, ID);
    const differences: unknown[] = [];
    // Prism takes null for no body.
    for (const body of BODIES.filter((each) => each !== null))
      changes.push(body === undefined ? {} : { body: JSON.stringify(body) });
    for (const headers of [...OTHER_TYPES, { ...JSON_TYPE, "x-tenant-id": "mine" }, { "x-tenant-id": ID }])
      changes.push({ headers, body: "{}" });
    changes.push({ path: pathOf(row, "mine"), body: "{}" });
    for (const name of Object.keys(row.query ?? {}))
      for (const value of ["", "x", "-1", "5", "true", ID])
        for (const query of [`${name}=${value}`, `${name}=${value}&${name}=7`])
          changes.push({ path: `${path}?${query}` });
    for (const change of changes)
      await judge({ method, path, headers: JSON_TYPE, ...change }, reply, differences);
    expect(differences).toEqual([]);
  });

  it("say the same of the exchanges of the suites", async () => {
    const differences: unknown[] = [];
    const oracle: Oracle = {
      async check(...exchange) {
        const [own, independent] = await Promise.all(
          [tables, prism].map(async (each) => new Set(await each.check(...exchange))),
        );
        if (!isDeepStrictEqual(own, independent)) differences.push({ exchange, own, independent });
        return [...(own ?? [])];
      },
    };
    const target = createEmulatorTarget(startEmulator);
    const run = await runContracts(target, { cases: CASES, oracle });
    await target.close();
    expect(run.results.filter(({ verdict }) => verdict !== "PASS").map(({ id }) => id)).toEqual([]);
    expect(differences).toEqual([]);
  });
});
