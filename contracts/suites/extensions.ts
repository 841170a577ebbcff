import { suite } from "../engine/case.ts";
import { equal, includes, isRefused, refused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { WORLD_HEADER } from "../engine/http-message.ts";
import { instantOf, iso } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { isMembers, jsonOf } from "../engine/json.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import { DESTINATIONS, EXPORTS, filesOf, prepare, runExport } from "./export-helpers.ts";
import { arm, hitsOf } from "./faulted-exports.ts";

const CONTROL = "/_emulator/v1";
const HOUR_MS = 3_600_000;
const CLOCK_NEEDS = ["writes", "control", "clock"] as const;

/** Calls a test-only operation that may be refused. */
const callControl = (t: Contract, method: string, path: string, body?: unknown) =>
  t.call(method, CONTROL + path, { unchecked: true, ...(body !== undefined && { body }) });

/** The world that the case runs in. */
const ownWorld = async (t: Contract) => (await t.control<{ readonly world: string }>("GET", "/status")).world;

const countIn = async (t: Contract, world: string) =>
  (await t.call<number>("POST", "/threads/count", { body: {}, headers: { [WORLD_HEADER]: world } })).body;

const threadIn = (t: Contract, world: string) =>
  t.call("POST", "/threads", { body: {}, headers: { [WORLD_HEADER]: world } });

/** Forks the world of the case for the duration of `work`. */
async function inWorld(t: Contract, work: (world: string) => Promise<void>): Promise<void> {
  const id = `contract-${t.draw.word(8)}`;
  await t.control("POST", "/worlds", { id, from: await ownWorld(t) });
  try {
    await work(id);
  } finally {
    await t.control("DELETE", `/worlds/${id}`);
  }
}

const linesOf = (text: string): readonly Members[] => text.split("\n").map(jsonOf).filter(isMembers);

const memberOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Members | null | undefined)?.[name], value);

/** Extensions of the emulator beyond the specification; these cases run against emulators only. */
export const EXTENSION_CASES = suite({
  "X/clock": {
    title: "virtual time advances on request, through every event, and never moves back",
    requirements: ["X-2"],
    needs: CLOCK_NEEDS,
    async run(t) {
      const from = await t.now();
      await t.advance("PT6H10M");
      const now = await t.now();
      t.fact(
        "X-2",
        equal(now - from, 6 * HOUR_MS + 600_000),
        "PT6H10M advances time by six hours and ten minutes",
      );
      const { body } = await t.call("POST", "/threads", { body: {} });
      t.fact(
        "X-2",
        instantOf(body.created_at) === now,
        "a new thread has the advanced time as its creation time",
        {
          expected: iso(now),
          actual: body.created_at,
        },
      );
      const back = await callControl(t, "POST", "/clock/advance", { to: iso(from) });
      t.fact("X-2", back.status === 422 && (await t.now()) === now, "time is not moved back", {
        actual: back.status,
      });
    },
  },
  "X/faults": {
    title: "a fault triggers as often as its rule says; a rule that can never trigger is refused",
    requirements: ["X-2"],
    needs: ["writes", "control", "faults"],
    async run(t) {
      const rule = { target: "http", match: { op: "listBulkExports" }, then: { status: 503 }, times: 2 };
      const fault = await arm(t, rule);
      const statuses: number[] = [];
      for (let count = 0; count < 3; count++)
        statuses.push((await t.call("GET", EXPORTS, { unchecked: true })).status);
      t.fact(
        "X-2",
        equal(statuses, [503, 503, 200]),
        "the fault triggers for two requests, not for the third",
      );
      const hits = await hitsOf(t, fault);
      t.fact("X-2", equal(hits, 2), "the fault reports how often it has triggered");
      const never = await callControl(t, "POST", "/faults", { ...rule, match: { op: "listNothing" } });
      t.fact("X-2", refused(never.status), "a fault that can never trigger is refused");
    },
  },
  "X/journal": {
    title:
      "the journal lists each turn with the request fields and reply members that the specification does not define",
    requirements: ["X-2"],
    needs: ["writes", "control"],
    async run(t) {
      const colour = t.draw.word(12);
      const reply = await t.call("POST", "/threads", { body: { [colour]: "red" }, unchecked: true });
      await t.call("GET", "/info");
      const journal = linesOf((await callControl(t, "GET", "/journal")).text);
      const isNamed = journal.some(
        ({ cause }) => String(memberOf(cause, "detail", "unknown_fields")) === `body.${colour}`,
      );
      // With --strict it is refused by name.
      const isRefusedByName = isRefused(reply.status) && reply.text.includes(colour);
      t.fact("X-2", isNamed || isRefusedByName, "the journal names a field that nothing reads", {
        actual: journal.at(-1),
      });
      const info = journal.findLast(({ cause }) => memberOf(cause, "name") === "info");
      const answerBound = info?.answered_beyond;
      t.fact("X-2", equal(answerBound, ["body"]), "the journal names undocumented reply members");
      const last = journal.at(-1)?.turn;
      const rest = linesOf((await callControl(t, "GET", `/journal?since=${Number(last) - 1}`)).text);
      t.fact("X-2", equal(rest[0]?.turn, last), "since excludes earlier turns");
    },
  },
  "X/worlds": {
    title: "a world forked from another one starts with its state; later changes stay separate",
    requirements: ["X-2"],
    needs: CLOCK_NEEDS,
    async run(t) {
      await t.call("POST", "/threads", { body: {} });
      const own = await ownWorld(t);
      const before = await countIn(t, own);
      const now = await t.now();
      await inWorld(t, async (world) => {
        t.fact(
          "X-2",
          (await countIn(t, world)) === before,
          "the fork contains the records of the original world",
        );
        await threadIn(t, world);
        await t.call("POST", `${CONTROL}/clock/advance`, {
          body: { by: "PT1H" },
          headers: { [WORLD_HEADER]: world },
          unchecked: true,
        });
        const counts = [await countIn(t, world), await countIn(t, own)];
        t.fact(
          "X-2",
          equal(counts, [before + 1, before]),
          "new records of the fork are not in the original world",
        );
        t.fact("X-2", (await t.now()) - now < HOUR_MS, "the time of the fork is independent");
      });
      const { status } = await callControl(t, "GET", "/worlds/contract-nobody");
      t.fact("X-2", equal(status, 404), "a world that does not exist is answered with 404");
    },
  },
  "X/snapshots": {
    title: "loading a snapshot restores the world as of the snapshot",
    requirements: ["X-2"],
    needs: ["writes", "control"],
    async run(t) {
      await inWorld(t, async (world) => {
        const name = `contract-${t.draw.word(8)}`;
        const act = (path: string, body: Members) =>
          t.call("POST", CONTROL + path, { body, headers: { [WORLD_HEADER]: world }, unchecked: true });
        await threadIn(t, world);
        const before = await countIn(t, world);
        await act("/snapshots", { name });
        await threadIn(t, world);
        await act(`/snapshots/${name}/load`, {});
        const after = await countIn(t, world);
        t.fact("X-2", equal(after, before), "later records are gone");
        await t.control("DELETE", `/snapshots/${name}`);
        const reload = await act(`/snapshots/${name}/load`, {});
        t.fact("X-2", equal(reload.status, 404), "a removed snapshot cannot be loaded");
      });
    },
  },
  "X/rate-limits": {
    title: "rate limits can be exhausted, explained and reset by test-only operations",
    requirements: ["X-2"],
    needs: ["writes", "control"],
    settings: { rateLimits: "on" },
    async run(t) {
      const query = new URLSearchParams({ method: "GET", path: EXPORTS, "x-api-key": t.identity.apiKey });
      await t.control("PUT", "/rate-limits/default_key", { remaining: 0 });
      const { status } = await t.call("GET", EXPORTS);
      t.fact("X-2", equal(status, 429), "an exhausted rate limit refuses requests");
      const described = JSON.stringify(await t.control("GET", `/rate-limits/explain?${query}`));
      t.fact(
        "X-2",
        includes(described, '"default_key"'),
        "the explanation names the rate limit that applies",
      );
      await t.control("POST", "/rate-limits/reset", {});
      const after = await t.call("GET", EXPORTS);
      t.fact("X-2", equal(after.status, 200), "requests pass after a reset");
    },
  },
  "X/verification": {
    title: "verification reads every file of an export and names a modified file",
    requirements: ["X-3"],
    needs: [...CLOCK_NEEDS, "ingest", "object_store"],
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 3 });
      const { id } = await runExport(t, prepared);
      const verify = () => t.control("GET", `/exports/${id}/verify`);
      const good = await verify();
      t.fact("X-3", good.ok === true && good.rows === 3, "an intact export is verified, row by row", {
        actual: good,
      });
      const [file = ""] = await filesOf(t, id);
      await t.objects.put(t.identity.bucket.name, file, "no Parquet");
      const bad = await verify();
      const isNamed = bad.ok === false && JSON.stringify(bad.problems).includes(file);
      t.fact("X-3", isNamed, "the result names the modified file", { actual: bad });
    },
  },
  "X/recording": {
    title: "the recording returns requests and replies for replay, without secrets",
    requirements: ["X-3"],
    needs: ["writes", "control"],
    async run(t) {
      const metadata = { marker: t.draw.word(12) };
      const { body } = await t.call("POST", "/threads", { body: { metadata } });
      const secret = t.secret(t.draw.word(24));
      const credentials = { access_key_id: "somebody", secret_access_key: secret };
      const config = { bucket_name: "nowhere", prefix: "x", region: "us-east-1" };
      const order = { destination_type: "s3", display_name: "x", config, credentials };
      await t.call("POST", DESTINATIONS, { body: order });
      const { text } = await callControl(t, "GET", "/recording");
      const mine = linesOf(text).find((line) => String(line.body).includes(metadata.marker));
      const isWhole = mine?.method === "POST" && mine.path === "/threads" && mine.status === 200;
      t.fact("X-3", isWhole, "a request is recorded with its status", { actual: mine });
      t.fact(
        "X-3",
        String(mine?.reply).includes(String(body.thread_id)),
        "the request is recorded with its reply",
      );
      t.fact("X-3", text.includes("nowhere") && !text.includes(secret), "the recording contains no secrets");
    },
  },
  "X/document": {
    title: "the published OpenAPI document contains every operation of the tables",
    requirements: ["X-3"],
    needs: ["control"],
    async run(t) {
      const { body } = await t.call("GET", "/openapi.json");
      const callsOf = (document: Members) =>
        Object.entries(document.paths as Members).flatMap(([path, methods]) =>
          Object.keys(methods as Members).map((method) => `${method} ${path}`),
        );
      const published = new Set(callsOf(body));
      const missingCalls = callsOf(openApiDocument()).filter((call) => !published.has(call));
      t.fact("X-3", equal(missingCalls, []), "the document contains every operation of the tables");
    },
  },
  "X/library": {
    title:
      "the library starts emulators with the given options, several at once, and refuses invalid options by name",
    requirements: ["X-4"],
    needs: ["control"],
    settings: { seed: 4242, limits: { max_retries: 7 } },
    async run(t) {
      const { seed } = await t.control("GET", "/status");
      t.fact("X-4", equal(seed, 4242), "the emulator uses the given seed");
      const described = JSON.stringify(await t.control("GET", "/config"));
      t.fact("X-4", described.includes('"max_retries":7'), "the emulator uses the given limit", {
        actual: described.slice(0, 300),
      });
      const unknown = await t.refusesToStart({ limits: { max_retrys: 7 } });
      t.fact(
        "X-4",
        includes(unknown, "max_retries"),
        "the error for a misspelt option names the nearest option",
      );
      const wrong = await t.refusesToStart({ limits: { max_retries: -1 } });
      t.fact("X-4", includes(wrong, "max_retries"), "the error for an invalid value names the option");
      const second = await t.refusesToStart({ seed: 1 });
      const { status } = await t.call("GET", "/ok");
      t.fact(
        "X-4",
        second === null && status === 200,
        "a second emulator starts and stops at the same time",
        {
          actual: second,
        },
      );
    },
  },
});
