import { XMLParser } from "fast-xml-parser";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { emptySelectors, selectCases } from "../../contracts/engine/selection.ts";
import {
  type Case,
  type CaseRow,
  createAddressTarget,
  type Oracle,
  openOracle,
  REPORTERS,
  REQUIREMENTS,
  runContracts,
  suite,
  type Target,
} from "../../contracts/index.ts";
import { CASES } from "../../contracts/suites/cases.ts";
import { RUNS, run } from "./recorded-bodies.ts";
import { type Answer, oneCase, tinyServer } from "./stub-server.ts";

const RUN = run(1);

/** A server that is in order as far as these cases ask. */
const honest: Answer = ({ path }) =>
  path.startsWith("/_emulator") || path.includes("missing")
    ? { status: 404, body: "There is no such thread." }
    : { status: 200, body: [RUN] };

const ASKING = suite({
  "4.1/list": {
    title: "runs are listed",
    requirements: ["4.1-1"],
    async run(t) {
      const { status, body } = await t.call<readonly unknown[]>("GET", RUNS);
      t.fact("4.1-1", status === 200, "the list is answered", { expected: 200, actual: status });
      t.choice("agent.list_order", body.length > 0, "it is not empty");
    },
  },
  "2.3/string": {
    title: "an error is a string",
    requirements: ["2.3-1"],
    async run(t) {
      const { body } = await t.call("GET", "/threads/missing/runs");
      t.fact("2.3-1", typeof body === "string", "a string", { actual: body });
    },
  },
  "8.3/timed": { title: "time moves", requirements: ["8.3-1"], needs: ["clock"], run: async () => undefined },
});

let oracle: Oracle;
const servers: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  oracle = await openOracle("spec", "prism");
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function targetOf(answer: Answer, more = {}): Promise<Target> {
  const server = await tinyServer(answer);
  servers.push(server);
  return createAddressTarget({
    url: server.url,
    apiKey: "a-secret-key-of-the-caller",
    allowWrites: false,
    ...more,
  });
}

const judge = async (answer: Answer, cases: readonly Case[] = ASKING, more = {}) =>
  runContracts(await targetOf(answer), { cases, oracle, ...more });

describe("a run", () => {
  it("passes a conforming server, and reports the requests that it cannot send", async () => {
    const run = await judge(honest);
    expect(run.results.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["4.1/list", "PASS"],
      ["2.3/string", "PASS"],
      ["8.3/timed", "UNSUPPORTED"],
    ]);
    expect(run.ok).toBe(true);
    expect(run.results[2]?.findings[0]?.text).toMatch(/lets the harness advance its clock/);
  });

  it.each<[string, unknown, string, string, string]>([
    ["a status of its own", [{ ...RUN, status: "done" }], "FAIL", "target", "2.1-2"],
    ["an id that is none", [{ ...RUN, run_id: "7" }], "FAIL", "target", "2.1-1"],
    ["an object for a list", RUN, "FAIL", "target", "4.1-1"],
    ["a member of its own", [{ ...RUN, colour: "blue" }], "NON-STRICT", "target", "4.1-1"],
    ["an empty list", [], "UNSPECIFIED", "specification", "4.1-4"],
  ])("finds %s", async (_, body, verdict, blame, requirement) => {
    const run = await judge((request) => (request.path === RUNS ? { status: 200, body } : honest(request)));
    const [first] = run.results;
    expect(first?.verdict).toBe(verdict);
    expect(first?.findings).toContainEqual(expect.objectContaining({ verdict, blame, requirement }));
    expect(run.ok).toBe(verdict !== "FAIL");
  });

  it("finds an error of another shape by the case and by the document", async () => {
    const run = await judge((request) =>
      request.path.includes("missing") ? { status: 404, body: { detail: "no" } } : honest(request),
    );
    const findings = run.results[1]?.findings.filter(({ requirement }) => requirement === "2.3-1");
    expect(findings).toHaveLength(2);
    expect(findings?.every(({ verdict }) => verdict === "FAIL")).toBe(true);
  });

  it("finds a server that breaks", async () => {
    const run = await judge((request) =>
      request.path === RUNS ? { status: 500, body: "no" } : honest(request),
    );
    expect(run.results[0]?.findings[0]).toMatchObject({ verdict: "FAIL", blame: "target" });
  });

  it("finds credentials that come back", async () => {
    const cases = oneCase("2.4-2", async (t) => {
      t.secret("a-very-secret-word");
      await t.call("GET", "/api/v1/bulk-exports/destinations");
    });
    const body = [{ id: RUN.run_id, credentials: { secret_access_key: "a-very-secret-word" } }];
    const run = await judge(
      ({ path }) => (path.startsWith("/_") ? { status: 404, body: "" } : { status: 200, body }),
      cases,
    );
    expect(run.results[0]?.findings).toContainEqual(
      expect.objectContaining({ verdict: "FAIL", requirement: "2.4-2" }),
    );
    for (const reporter of ["pretty", "junit", "json", "md"] as const)
      expect(run.report(reporter)).not.toContain("a-very-secret-word");
  });

  it("keeps secrets out of the observations and the passed facts of a case", async () => {
    const cases = oneCase("4.1-1", async (t) => {
      const secret = t.secret('a "very" secret/word');
      const { body } = await t.call("GET", RUNS, { body: { secret } });
      t.fact("4.1-1", false, `not ${secret}`, { expected: [secret], actual: { body, deep: { secret } } });
      t.fact("4.1-1", true, "a list", { actual: `it says ${secret}` });
      throw new Error(`stumbled over ${secret}`);
    });
    const inBase64 = ["", "u:", "é"].map((before) => btoa(`${before}a-secret-key-of-the-caller:`));
    const echo = `a "very" secret/word of a-secret-key-of-the-caller, ${inBase64}`;
    const run = await judge(
      (request) => (request.path === RUNS ? { status: 200, body: [{ echo }] } : honest(request)),
      cases,
      { keepHeld: true },
    );
    const forms = [...(["pretty", "junit", "json", "md"] as const)].map((form) => run.report(form));
    expect(forms.join()).not.toMatch(/secret\/word|a-secret-key-of-the-caller|secret%2Fword/);
    const chunks = inBase64.map((text) => text.slice(8, 16));
    expect(chunks.filter((chunk) => forms.join().includes(chunk))).toEqual([]);
    expect(run.results[0]?.findings.map(({ text }) => text)).toEqual(expect.arrayContaining(["not ***"]));
    expect(run.results[0]?.metExpectations?.[0]?.did).toBe('"it says ***"');
  });

  it("keeps the secrets of its own headers out of reports, also as names of members", async () => {
    const secret = "s3cr3t-of-a-gateway";
    const cases = oneCase("4.1-1", async (t) => {
      const { body } = await t.call("GET", RUNS);
      t.fact("4.1-1", false, "no", { actual: body });
    });
    const target = await targetOf(
      (request) => (request.path === RUNS ? { status: 200, body: [{ [secret]: secret }] } : honest(request)),
      { headers: { "x-auth-token": secret } },
    );
    const run = await runContracts(target, { cases, oracle });
    for (const reporter of REPORTERS) expect(run.report(reporter)).not.toContain(secret);
    expect(run.report("pretty")).toContain('-H "x-auth-token: $AUTH_TOKEN"');
  });

  it.each<[string, ReturnType<Answer>]>([
    ["items that are null", { status: 200, body: [null, null] }],
    ["a success without a body", { status: 204, body: "" }],
    ["JSON that is too deep", { status: 200, body: JSON.parse("[".repeat(3000) + "]".repeat(3000)) }],
  ])("blames the server, not itself, for %s", async (_, reply) => {
    const answer: Answer = ({ path }) =>
      path.startsWith("/_") || path.includes("no-such") ? { status: 404, body: "" } : reply;
    const cases = selectCases(CASES, ["2.2/fields", "4.8/search", "4.8/runs-wait", "4.1/not-found"]);
    const { results } = await judge(answer, cases, { oracle: await openOracle() });
    const blames = results.flatMap(({ findings }) => findings.map(({ blame }) => blame));
    expect(blames).toContain("target");
    expect(blames).not.toContain("harness");
  });

  it("blames itself when a case stumbles, and a server that is not there", async () => {
    const cases = oneCase("4-1", () => Promise.reject(new TypeError("oh")));
    const run = await judge(honest, cases);
    expect(run.results[0]?.findings[0]).toMatchObject({ verdict: "FAIL", blame: "harness" });
    const target = await targetOf(honest);
    await servers.pop()?.close();
    const lateRun = await runContracts(target, { cases: ASKING, oracle: false });
    expect(lateRun.results[0]?.findings[0]).toMatchObject({ verdict: "FAIL", blame: "target" });
    expect(lateRun.results[0]?.findings[0]?.text).toMatch(
      /nothing listens at this address; start the server/,
    );
  });

  it("does not ask a server that has gone away all the rest", async () => {
    const row: CaseRow = {
      title: "asks",
      requirements: ["4.1-1"],
      run: async (t) => void (await t.call("GET", RUNS)),
    };
    const cases = suite(Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`4.1/ask-${n}`, row])));
    const target = await targetOf(honest);
    await servers.pop()?.close();
    const { results } = await runContracts(target, { cases, oracle: false });
    expect(results.map(({ verdict }) => verdict)).toEqual([
      "FAIL",
      "FAIL",
      "FAIL",
      "UNSUPPORTED",
      "UNSUPPORTED",
    ]);
    expect(results[4]?.findings[0]?.text).toMatch(
      /did not respond in the 3 previous cases; check that it is running/,
    );
  });

  it("is not successful when it could not send any request, and refuses an empty selection", async () => {
    expect((await judge(honest, ASKING.slice(2))).ok).toBe(false);
    await expect(judge(honest, [])).rejects.toThrow(/nothing was checked/);
    await expect(judge(honest, ASKING, { select: ["7.7"] })).rejects.toThrow(/7\.7/);
  });

  it("stops at the first failure, and at the end of its budget", async () => {
    const broken: Answer = () => ({ status: 500, body: "no" });
    expect((await judge(broken, ASKING, { bail: true })).results).toHaveLength(1);
    const run = await judge(honest, ASKING.slice(0, 2), { budget: 1 });
    expect(run.results.map(({ verdict }) => verdict)).toEqual(["PASS", "UNSUPPORTED"]);
  });

  it("blames nobody for what the budget leaves unasked in the middle of a case", async () => {
    const cases = oneCase("4.1-1", async (t) => {
      await t.call("GET", RUNS);
      await t.call("GET", RUNS);
    });
    const run = await judge(honest, cases, { budget: 1 });
    expect(run.results[0]).toMatchObject({
      verdict: "UNSUPPORTED",
      findings: [{ text: expect.stringMatching(/budget/) }],
    });
    expect(run.requests).toBe(1);
  });

  it("takes choices for failures only when it is strict", async () => {
    const empty: Answer = (request) => (request.path === RUNS ? { status: 200, body: [] } : honest(request));
    expect((await judge(empty)).ok).toBe(true);
    expect((await judge(empty, ASKING, { strict: true })).ok).toBe(false);
    expect((await judge(empty, ASKING, { bail: true })).results).toHaveLength(3);
    expect((await judge(empty, ASKING, { bail: true, strict: true })).results).toHaveLength(1);
  });

  it("draws the same for the same seed, and other names wherever an earlier run may have left them", async () => {
    const samples: { readonly number: number; readonly id: string }[] = [];
    const cases = oneCase(
      "4-1",
      async ({ draw }) => void samples.push({ number: draw.integer(2 ** 31), id: draw.uuid() }),
    );
    const { nonce: own, ...forgetful } = await targetOf(honest);
    const keeping = { ...forgetful, nonce: "first" };
    const later = { ...forgetful, nonce: "second" };
    for (const [target, more] of [
      [forgetful, { seed: 1 }],
      [forgetful, { seed: 1 }],
      [forgetful, { seed: 2 }],
      [keeping, { seed: 1 }],
      [later, { seed: 1 }],
      [later, { seed: 1, nonce: "first" }],
    ] as const)
      await runContracts(target, { cases, oracle: false, ...more });
    const [first, again, other, fourth, after, sixth] = samples;
    expect(own).toMatch(/./);
    expect(first).toEqual(again);
    expect(other?.number).not.toBe(first?.number);
    expect(other?.id).not.toBe(first?.id);
    expect([fourth?.number, after?.number]).toEqual([first?.number, first?.number]);
    expect(new Set([first?.id, fourth?.id, after?.id]).size).toBe(3);
    expect(sixth).toEqual(fourth);
    expect(first?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe("reports", () => {
  const wrong: Answer = (request) =>
    request.path === RUNS ? { status: 200, body: [{ ...RUN, status: "</done>&\u0007" }] } : honest(request);

  it("are read by what they are for", async () => {
    const run = await judge(wrong);
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(run.report("junit"));
    expect(testsuites["@_tests"]).toBe("3");
    expect(testsuites["@_failures"]).toBe("1");
    expect(testsuites["@_skipped"]).toBe("1");
    const json = JSON.parse(run.report("json"));
    expect(json).toMatchObject({ ok: false, counts: { FAIL: 1, PASS: 1, UNSUPPORTED: 1 } });
    expect(run.report("md")).toMatch(/^\| §4\.1 \| .*\| 1 \|$/m);
    expect(run.report("pretty")).toMatch(/^FAIL §2\.1-2: .*\n.*\(4\.1\/list\)$/m);
  });

  const list: Answer = (request) =>
    request.path === RUNS ? { status: 200, body: [{ ...RUN, run_id: "7" }] } : honest(request);
  const ABOUT = suite({
    "4.1/twice": {
      title: "runs are listed again and again",
      requirements: ["4.1-1"],
      async run(t) {
        for (let count = 0; count < 3; count++) {
          const { body } = await t.call<readonly { readonly run_id: string }[]>("GET", RUNS);
          t.fact("2.1-1", body[0]?.run_id !== "7", "an id is a uuid", { expected: "a uuid", actual: "7" });
        }
        t.fact("4.1-1", false, "the list ends");
        throw new TypeError("no value to continue with");
      },
    },
    "2.1/own": {
      title: "a run has an id",
      requirements: ["2.1-1"],
      run: async (t) => void t.fact("2.1-1", false, "it has", { actual: (await t.call("GET", RUNS)).status }),
    },
  });

  it("print the requirement, request, reply and expectation of each failure, and the command that repeats it", async () => {
    const again = "emulator contract run <case> --target http://here";
    const run = await runContracts(await targetOf(list), { cases: ABOUT, oracle: false, again });
    const said = run.report("pretty").replace(/http:\/\/127\S*\/runs'?/g, "<url>");
    expect(said.split("\n").slice(0, 15)).toEqual([
      "FAIL §2.1-1: A run has all nine fields with the types shown.",
      // The case that is about the row comes first.
      "  it has (2.1/own)",
      "    actual   200",
      expect.stringMatching(/^ {4}curl -sS -X GET '<url>/),
      expect.stringMatching(/^ {4}reply {4}200 \[\{"run_id":"7"/),
      '  an id is a uuid: expected "a uuid", actual "7" (4.1/twice)',
      expect.stringMatching(/^ {2}fix: change the server's reply to GET \/threads\/\S+\/runs$/),
      "  rerun: emulator contract run 2.1/own --target http://here",
      "",
      "FAIL §4.1-1: The list of a thread's runs has limit 10 and offset 0 by default.",
      "  the list ends (4.1/twice)",
      ...[expect.stringMatching(/^ {4}curl /), expect.stringMatching(/^ {4}reply {4}200/)],
      expect.stringMatching(/^ {2}fix: change the server/),
      "  rerun: emulator contract run 4.1/twice --target http://here",
    ]);
    expect(said).toContain(
      "1 case ended early because of a finding, so there may be more problems: 4.1/twice\n",
    );
    expect(run.report("md")).toContain("A run has all nine fields with the types shown.");
    expect(run.report("md")).toContain("\nrerun: emulator contract run 4.1/twice --target http://here\n");
    const junit = run.report("junit");
    expect(junit).toContain("requirement: A run has all nine fields with the types shown.");
    expect(junit).toContain("and 2 more like this");
    expect(junit).toContain("rerun: emulator contract run 4.1/twice --target http://here");
    expect(junit).toContain('message="§4.1-1: the list ends"');
  });

  it("name the rows that are not met, the most severe first", async () => {
    const run = await runContracts(await targetOf(list), { cases: ABOUT, oracle: false });
    const { unmet } = JSON.parse(run.report("json"));
    expect(unmet.map(({ requirement }: { requirement: string }) => requirement)).toEqual(["2.1-1", "4.1-1"]);
    expect(run.report("md")).toContain("### FAIL §2.1-1: A run has all nine fields with the types shown.");
  });

  it("say first what was not looked at, by section, with what it needs", async () => {
    const run = await judge(honest);
    expect(run.report("pretty")).toMatch(
      /^Not checked: 1 of 3 cases\. .*\n {2}§8\.3 {2}1 of 1 {4}a target that lets the harness advance its clock \(--adapter with \/clock\)\n\n/,
    );
    const { notChecked, requirements } = JSON.parse(run.report("json"));
    expect(requirements[String(run.results[0]?.requirements[0])]).toMatch(/^[A-Z].*\.$/);
    expect(notChecked).toEqual([
      {
        section: "8.3",
        cases: ["8.3/timed"],
        of: 1,
        needs: [["a target that lets the harness advance its clock (--adapter with /clock)", 1]],
      },
    ]);
  });

  it("do not count a failed case among those that were not checked", async () => {
    const cases = oneCase("4.1-1", async (t) => {
      t.fact("4.1-1", false, "the list ends");
      t.lack("a longer list");
    });
    const run = await judge(honest, [...cases, ...ASKING.slice(2)]);
    expect(run.results.map(({ verdict }) => verdict)).toEqual(["FAIL", "UNSUPPORTED"]);
    expect(run.report("pretty")).toContain("Not checked: 1 of 2 cases");
  });

  it("report one cause once: facts that depend on an invalid list are left out", async () => {
    const cases = suite({
      "4.1/list": {
        title: "lists",
        requirements: ["4.1-1"],
        async run(t) {
          const { body } = await t.call<readonly unknown[]>("GET", RUNS);
          t.fact("4.1-1", body.length === 10, "ten runs");
          t.fact("2.1-1", Array.isArray(body), "each with its fields");
          body.find(() => true);
        },
      },
    });
    const run = await judge(
      (request) => (request.path === RUNS ? { status: 200, body: RUN } : honest(request)),
      cases,
    );
    expect(run.results[0]?.findings.map(({ text }) => text)).toEqual(["Response body must be array"]);
    expect(run.results[0]?.stopped).toBe(true);
    expect(run.report("pretty").split("\n").length).toBeLessThanOrEqual(20);
  });

  it("have what was found so far when a run is interrupted", async () => {
    const interruption = new AbortController();
    const onResult = () => interruption.abort();
    const run = await judge(wrong, ASKING, { signal: interruption.signal, onResult });
    expect(run.results.map(({ verdict }) => verdict)).toEqual(["FAIL", "UNSUPPORTED", "UNSUPPORTED"]);
    expect(run.report("pretty")).toContain("the end of the run, which was interrupted");
  });

  it("show the request as a line of a shell, without the key", async () => {
    const text = (await judge(wrong)).report("pretty");
    expect(text).toMatch(
      /curl -sS -X GET 'http:\/\/127\.0\.0\.1:\d+\/threads\/.*' -H "x-api-key: \$API_KEY"/,
    );
    expect(text).not.toContain("a-secret-key-of-the-caller");
  });
});

describe("the selection", () => {
  const ids = (...selectors: string[]) =>
    new Set(selectCases(CASES, selectors).map(({ id }) => id.split("/")[0]));

  it("goes by section, by the sections below it, by case and by the begin of a slug", () => {
    expect(ids("4.1")).toEqual(new Set(["4.1"]));
    expect([...ids("6")].sort()).toEqual(["6", "6.1"]);
    expect(ids()).toEqual(new Set(CASES.map(({ id }) => id.split("/")[0])));
    expect(selectCases(CASES, ["8.5/runs-query"]).map(({ id }) => id)).toEqual([
      "8.5/runs-query-key",
      "8.5/runs-query-user",
    ]);
    expect(emptySelectors(CASES, ["4.1", "4.11", "nonsense/x"])).toEqual(["4.11", "nonsense/x"]);
  });

  it("goes by row of the ledger, and by section where no case is called after it", () => {
    const about = (selector: string) =>
      selectCases(CASES, [selector]).map(({ requirements }) => requirements);
    expect(about("2.3-1").length).toBeGreaterThan(0);
    expect(about("2.3-1").every((rows) => rows.includes("2.3-1"))).toBe(true);
    expect(about("2.3")).toEqual(about("2.3-1"));
    const sections = new Set(Object.keys(REQUIREMENTS).map((id) => id.split("-")[0] ?? ""));
    expect(emptySelectors(CASES, [...sections])).toEqual([]);
  });
});

describe("a service that is not local", () => {
  it("is not written to unless that is spelled out", async () => {
    const safe = await createAddressTarget({
      url: "https://api.example.com",
      apiKey: "key",
      allowWrites: false,
    });
    expect(safe.offers).toEqual(new Set(["platform", "schedules", "columns"]));
    const open = await createAddressTarget({
      url: "https://api.example.com",
      apiKey: "key",
      allowWrites: true,
    });
    expect(open.offers).toEqual(new Set(["platform", "writes", "ingest", "schedules", "columns"]));
    expect(open.elsewhere).toBe(true);
  });

  it("makes one of a local server with a part elsewhere", async () => {
    const { url } = await tinyServer(honest).then((server) => {
      servers.push(server);
      return server;
    });
    const input = { url, apiKey: "key", allowWrites: false };
    expect((await createAddressTarget(input)).offers).toContain("writes");
    for (const elsewhere of [
      { agentUrl: "https://agent.example.com" },
      { euUrl: "https://eu.example.com" },
    ]) {
      const target = await createAddressTarget({ ...input, ...elsewhere });
      expect(target.offers).not.toContain("writes");
      expect(target.elsewhere).toBe(true);
    }
  });
});

/** Where no request that changes something may arrive. */
async function readOnlyTarget(answer: Answer) {
  const server = await tinyServer(answer);
  servers.push(server);
  const target = await createAddressTarget({
    url: server.url,
    apiKey: "key-of-the-caller",
    allowWrites: false,
  });
  const offers = new Set([...target.offers, "platform", "agent", "eu"] as const);
  for (const need of ["writes", "ingest", "receiver"] as const) offers.delete(need);
  return { target: { ...target, offers }, asked: server.asked };
}

describe("a server that may not be written to", () => {
  it("is only read, whatever cases there are", async () => {
    const { target, asked } = await readOnlyTarget(honest);
    const before = asked.length;
    const { results } = await runContracts(target, { oracle: false });
    expect(asked.slice(before).length).toBeGreaterThan(10);
    expect(asked.slice(before).filter((line) => !/^GET |^POST \/\S*\/search$/.test(line))).toEqual([]);
    const forgotten = results
      .flatMap(({ findings }) => findings)
      .filter(({ text }) => /no reading/.test(text));
    expect(forgotten).toEqual([]);
  });

  it("is not written to by a case that has not said so: the harness is to blame", async () => {
    const { target, asked } = await readOnlyTarget(honest);
    const cases = oneCase("4.7-1", async (t) => void (await t.call("PATCH", "/api/v1/bulk-exports/1")));
    const { results } = await runContracts(target, { cases, oracle: false });
    expect(results[0]?.findings[0]).toMatchObject({
      blame: "harness",
      text: expect.stringMatching(/writes/),
    });
    expect(asked.filter((line) => line.startsWith("PATCH"))).toEqual([]);
  });
});
