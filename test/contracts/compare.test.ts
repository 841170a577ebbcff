import { describe, expect, it, onTestFinished } from "vitest";
import {
  CASES,
  type Case,
  compareRuns,
  comparisonReport,
  createAddressTarget,
  runContracts,
  suite,
} from "../../contracts/index.ts";
import { awaitEnd, listRuns, startRun } from "../../contracts/suites/agent-helpers.ts";
import { type Answer, oneCase, tinyServer } from "./stub-server.ts";

const THREAD = "1a91a355-8a88-422c-9546-72c183b95b5c";
const PATH = `/threads/${THREAD}/runs`;
const ASSISTANT = { assistant_id: "2a91a355-8a88-422c-9546-72c183b95b5c", graph_id: "talk", name: "Talk" };
const RUNS = ["a", "b", "c"].map((run_id) => ({ run_id, status: "success" }));
const OTHER = "an assistant called other";

/** Lists runs by offset and select, and has no path of the platform. */
const honest: Answer = ({ path }) => {
  if (path === "/assistants/search") return { status: 200, body: [ASSISTANT] };
  if (!path.startsWith(PATH)) return { status: 404, body: "Not Found" };
  const query = new URLSearchParams(path.split("?")[1]);
  const names = query.getAll("select");
  const page = RUNS.slice(Number(query.get("offset") ?? 0));
  const only = (run: object) =>
    Object.fromEntries(Object.entries(run).filter(([name]) => names.includes(name)));
  return { status: 200, body: names.length > 0 ? page.map(only) : page };
};

/** The second page is empty, and `select` does nothing. */
const mutantTarget: Answer = (request) => {
  if (request.path.includes("offset=2")) return { status: 200, body: [] };
  return honest({ ...request, path: request.path.replace(/select=[^&]*/, "") });
};

const ASKING = suite({
  "4.1/page": {
    title: "the last page is there",
    requirements: ["4.1-1"],
    needs: ["agent"],
    async run(t) {
      const runs = await listRuns(t, THREAD, "?offset=2");
      t.fact("4.1-1", runs.length === 1, "offset 2 of three", { expected: 1, actual: runs.length });
    },
  },
  "4.1/select": {
    title: "fields are chosen",
    requirements: ["4.1-2"],
    needs: ["agent"],
    async run(t) {
      const [run = {}] = await listRuns(t, THREAD, "?select=status");
      t.fact("4.1-2", Object.keys(run).join() === "status", "select=status", { actual: Object.keys(run) });
      t.choice("agent.list_order", true, "a choice that both of them made");
    },
  },
  "4.1/whole": {
    title: "all of them are there",
    requirements: ["4.1-1"],
    needs: ["agent"],
    async run(t) {
      t.fact("4.1-1", (await listRuns(t, THREAD)).length === 3, "three");
    },
  },
  "4.4/export": {
    title: "an export",
    requirements: ["4.4-1"],
    needs: ["platform"],
    run: async (t) => void (await t.call("GET", "/api/v1/bulk-exports")),
  },
  "8.3/timed": { title: "time moves", requirements: ["8.3-1"], needs: ["clock"], run: async () => undefined },
});

async function urlOf(answer: Answer): Promise<string> {
  const server = await tinyServer(answer);
  onTestFinished(server.close);
  return server.url;
}

async function judge(answer: Answer, cases: readonly Case[] = ASKING) {
  const target = await createAddressTarget({ url: await urlOf(answer), allowWrites: false });
  return runContracts(target, { cases, oracle: false, keepHeld: true });
}

describe("two servers", () => {
  it("differ in the wrong behaviour of one of them, with the observation of each", async () => {
    const [first, second] = [await judge(honest), await judge(mutantTarget)];
    const comparison = compareRuns(first, second);
    expect(comparison.drifts).toMatchObject([
      {
        id: "4.1/page",
        section: "4.1",
        requirement: "4.1-1",
        statement: "The list of a thread's runs has limit 10 and offset 0 by default.",
        text: "offset 2 of three",
        verdict: "FAIL",
        blame: "target",
        side: "second",
        first: "1",
        second: "0",
      },
      { id: "4.1/select", requirement: "4.1-2", first: '["status"]', second: '["run_id","status"]' },
    ]);
    expect(comparison.drifts[0]?.curl).toContain(`${second.target}${PATH}?offset=2`);
    expect(comparison).toMatchObject({ compared: 3, differing: 2, notCompared: 2 });
    expect(comparison.verdicts).toEqual({ first: { PASS: 3 }, second: { PASS: 1, FAIL: 2 } });
    expect(comparison.skipped.map(({ cases }) => cases)).toEqual([["4.4/export"], ["8.3/timed"]]);
  });

  it("are distinguished in both orders, and one does not differ from itself", async () => {
    const [first, second] = [await judge(mutantTarget), await judge(honest)];
    const [drift] = compareRuns(first, second).drifts;
    expect(drift).toMatchObject({ side: "first", first: "0", second: "1" });
    expect(compareRuns(first, first)).toMatchObject({ drifts: [], differing: 0 });
  });

  it("are shown requirement by requirement, in lines and as Markdown", async () => {
    const comparison = compareRuns(await judge(honest), await judge(mutantTarget));
    const report = comparisonReport(comparison);
    const lines = report.pretty().join("\n");
    expect(lines).toMatch(/^FAIL \(target\) {2}§4\.1-1: The list of a thread/);
    expect(lines).toMatch(
      /^ {2}offset 2 of three \(4\.1\/page\)\n {4}= http\S+: 1\n {4}≠ http\S+: 0\n {4}curl /m,
    );
    expect(lines).toMatch(
      /^UNSUPPORTED {2}1 cases: needs GET \/api\/v1\/bulk-exports, which the server does not have/m,
    );
    expect(report.summary.at(-1)).toBe("2 of 3 cases differ; 2 could not be run on both");
    expect(report.markdown().join("\n")).toMatch(
      /^### FAIL \(target\) {2}§4\.1-1: The list .*\n\n```\noffset 2 of three \(4\.1\/page\)\n {2}= http\S+: 1\n/m,
    );
  });

  it("report their choices where the specification is silent, without the requests of the harness", async () => {
    const cases = oneCase("4.1-4", async (t) => {
      const [run] = await listRuns(t, THREAD);
      t.choice("agent.list_order", run?.run_id === "c", "newest first", { actual: run?.run_id });
    });
    const turned: Answer = (request) => ({ ...honest(request), body: [...RUNS].reverse() });
    const [first, second] = [await judge(turned, cases), await judge(honest, cases)];
    const [drift] = compareRuns(first, second).drifts;
    expect(drift).toMatchObject({
      verdict: "UNSPECIFIED",
      blame: "specification",
      assumption: "agent.list_order",
    });
    expect(drift?.statement).toBe("not shown; chosen: newest first");
    const finding = { ...second.results[0]?.findings[0], blame: "caller" as const, text: "sent on purpose" };
    const results = second.results.map((result) => ({ ...result, findings: [finding] }) as typeof result);
    expect(compareRuns(first, { ...second, results }).drifts).toEqual([]);
  });
});

describe("an agent server that stands alone", () => {
  it("is known by its paths, and is asked nothing about the platform", async () => {
    const target = await createAddressTarget({ url: await urlOf(honest), allowWrites: false });
    const cases = CASES.filter(({ id }) => /^(2\.4|3\.1|4\.[2-7]|7\.2|8\.)/.test(id));
    const run = await runContracts(target, { cases, oracle: false });
    expect(cases.length).toBeGreaterThan(60);
    expect(new Set(run.results.map(({ verdict }) => verdict))).toEqual(new Set(["UNSUPPORTED"]));
  });

  it("need not be at the address of a platform", async () => {
    const agentUrl = await urlOf(honest);
    const alone = await createAddressTarget({ agentUrl, allowWrites: false });
    expect([alone.name, alone.offers.has("agent"), alone.offers.has("platform")]).toEqual([
      agentUrl,
      true,
      false,
    ]);
    const url = await urlOf(() => ({ status: 404, body: "no" }));
    const beside = await createAddressTarget({ url, agentUrl, allowWrites: false });
    const run = await runContracts(beside, { cases: ASKING.slice(1, 2), oracle: false });
    expect(run.results[0]?.verdict).toBe("PASS");
  });

  it("is of this API when one path of it is there, and otherwise not asked at all", async () => {
    const broken: Answer = ({ path }) => ({ status: path.endsWith("/destinations") ? 500 : 404, body: "no" });
    await createAddressTarget({ url: await urlOf(broken), allowWrites: false });
    const strange = createAddressTarget({
      url: await urlOf(() => ({ status: 404, body: "no" })),
      allowWrites: false,
    });
    await expect(strange).rejects.toThrow(/does not respond to any path of this API/);
  });

  it("runs the assistant that is asked for by id, graph or name", async () => {
    const url = await urlOf(honest);
    for (const assistant of [ASSISTANT.assistant_id, ASSISTANT.graph_id, ASSISTANT.name]) {
      const target = await createAddressTarget({ url, assistant, allowWrites: false });
      const { identity } = await target.open();
      expect(identity.assistantId).toBe(ASSISTANT.assistant_id);
    }
    await expect(createAddressTarget({ url, assistant: OTHER, allowWrites: false })).rejects.toThrow(
      `no assistant is named ${OTHER}; the server lists talk`,
    );
  });

  it("is waited for until its runs have ended, since nobody moves its time", async () => {
    const statuses = ["pending", "running", "success"];
    const slow: Answer = (request) => {
      if (request.method === "POST" && request.path === PATH) return { status: 200, body: RUNS[0] };
      if (request.path === "/assistants/search") return honest(request);
      return {
        status: 200,
        body: [{ run_id: "a", status: statuses.length > 1 ? statuses.shift() : statuses[0] }],
      };
    };
    const cases = suite({
      "4.1/waits": {
        title: "waits",
        requirements: ["4.1-1"],
        needs: ["agent"],
        async run(t) {
          await startRun(t, THREAD);
          await awaitEnd(t, THREAD);
          const [run] = await listRuns(t, THREAD);
          t.fact("4.1-1", run?.status === "success", "it has ended", { actual: run?.status });
        },
      },
    });
    expect((await judge(slow, cases)).results[0]?.verdict).toBe("PASS");
  });
});
