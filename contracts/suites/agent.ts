import { suite } from "../engine/case.ts";
import { accepted, equal, isRefused, refused } from "../engine/check.ts";
import { instantOf, iso, MINUTE } from "../engine/instant.ts";
import { isMembers, jsonOf, type Members } from "../engine/json.ts";
import { DESCRIPTION_VERSION, NEW_THREAD_STATUS, THREAD_MEMBERS } from "../facts/agent.ts";
import { API_PREFIX } from "../facts/bulk-exports.ts";
import {
  assistant,
  INPUT,
  listRuns,
  postToThread,
  runTwice,
  script,
  startRun,
  type ThreadBody,
  thread,
} from "./agent-helpers.ts";
import { EXTERNAL_URL } from "./webhooks.ts";

const AGENT = ["writes", "agent"] as const;
const MOVING_CLOCK = [...AGENT, "clock"] as const;

export const AGENT_CASES = suite({
  "1/thread-accumulates": {
    title: "a thread contains the input of each of its runs",
    requirements: ["1-4"],
    needs: AGENT,
    async run(t) {
      const id = await thread(t);
      const contents = await runTwice(t, id);
      const { body } = await t.call<ThreadBody>("GET", `/threads/${id}`);
      t.choice("agent.supporting_operations", equal(body.thread_id, id), "the requested thread is returned");
      const valuesText = JSON.stringify(body.values ?? null);
      const [earlier = false, newest] = contents.map((content) =>
        valuesText.includes(JSON.stringify(content)),
      );
      // What an assistant keeps of its input is its own affair.
      if (!newest) t.lack("an assistant whose thread contains its input");
      t.fact("1-4", earlier, "the input of an earlier run is still in its values", {
        actual: body.values,
      });
    },
  },
  "2.2/fields": {
    title: "a created thread has seven fields and is idle",
    requirements: ["2.2-1", "3.2-1", "4.8-3"],
    needs: AGENT,
    async run(t) {
      const { status, body } = await t.call<ThreadBody & Members>("POST", "/threads", { body: {} });
      t.must("4.8-3", accepted(status), "an empty object creates a thread");
      t.must("2.2-1", isMembers(body), "the reply is a thread", { actual: body });
      for (const name of THREAD_MEMBERS)
        t.fact("2.2-1", name in body, `the reply has ${name}`, { actual: Object.keys(body) });
      t.fact("2.2-1", /^[0-9a-f-]{36}$/i.test(body.thread_id), "thread_id is a uuid", {
        actual: body.thread_id,
      });
      t.fact("2.2-1", !Number.isNaN(instantOf(body.created_at)), "created_at is a time");
      const { values } = body;
      t.fact("2.2-1", values === null || typeof values === "object", "values is an object or null", {
        actual: values,
      });
      t.fact("3.2-1", equal(body.status, NEW_THREAD_STATUS), "a created thread is idle");
    },
  },
  "2.2/statuses": {
    title: "the status of a thread follows its runs: busy, idle, interrupted or error",
    requirements: ["2.2-2", "3.2-2"],
    needs: [...MOVING_CLOCK, "scripts"],
    async run(t) {
      for (const [then, during, after] of [
        [{ status: "success", after: "PT1M" }, "busy", "idle"],
        [{ status: "error", after: "PT1M" }, "busy", "error"],
        [{ interrupt: "Shall I?", after: "PT1M" }, "busy", "interrupted"],
      ] as const) {
        const id = await thread(t);
        await script(t, id, then);
        await startRun(t, id);
        await t.advance("PT1S");
        const now = async () => (await t.call<ThreadBody>("GET", `/threads/${id}`)).body.status;
        const before = await now();
        t.choice("2.2-2", equal(before, during), `while its run is running, the thread is ${during}`);
        const [running] = await listRuns(t, id);
        t.choice("3.2-2", equal(running?.status, "running"), "the run is running");
        await t.advance("PT2M");
        const end = await now();
        t.choice("2.2-2", equal(end, after), `afterwards the thread is ${after}`);
      }
    },
  },
  "3.2/queue": {
    title: "the runs of a thread are executed one at a time",
    requirements: ["3.2-2"],
    needs: [...MOVING_CLOCK, "scripts"],
    async run(t) {
      const id = await thread(t);
      await t.control("POST", "/agent/scripts", {
        match: { thread_id: id },
        then: { status: "success", after: "PT1M" },
      });
      const enqueue = { multitask_strategy: "enqueue" };
      const first = await startRun(t, id, enqueue);
      const second = await startRun(t, id, enqueue);
      await t.advance("PT1S");
      const statuses = async () =>
        new Map((await listRuns(t, id)).map(({ run_id, status }) => [run_id, status]));
      const early = await statuses();
      t.choice("agent.transitions", equal(early.get(first.run_id), "running"), "the first run is running");
      t.choice("agent.transitions", equal(early.get(second.run_id), "pending"), "the second run is pending");
      await t.advance("PT5M");
      const late = await statuses();
      t.choice(
        "agent.transitions",
        [...late.values()].every((status) => status === "success"),
        "both runs end with success",
      );
    },
  },
  "3.2/timeout": {
    title: "a run that exceeds its timeout ends with status timeout",
    requirements: ["3.2-2"],
    needs: [...MOVING_CLOCK, "scripts"],
    async run(t) {
      const id = await thread(t);
      await script(t, id, { status: "success", after: "PT2H" });
      await startRun(t, id);
      await t.advance("PT1H1M");
      const [run] = await listRuns(t, id);
      t.choice("agent.run_timeout", equal(run?.status, "timeout"), "after an hour its status is timeout");
    },
  },
  "4.8/search": {
    title: "the search for assistants takes limit and offset",
    requirements: ["4.8-3"],
    needs: ["agent"],
    async run(t) {
      const search = async (offset: number, limit = 100) => {
        const { status, body } = await t.call<unknown>("POST", "/assistants/search", {
          body: { limit, offset },
        });
        const isList = accepted(status).holds && Array.isArray(body);
        t.must("4.8-3", isList, "the reply is a list of assistants", { actual: status });
        return (body as readonly unknown[]).map((each) => JSON.stringify(each));
      };
      const all = await search(0);
      const one = await search(0, 1);
      t.fact("4.8-3", equal(one.length, Math.min(1, all.length)), "limit 1 returns at most one assistant");
      const rest = await search(1);
      // A page that is full may be followed by more assistants.
      const hasMore = rest.length === all.length && rest.some((each) => !all.includes(each));
      const expected = hasMore ? all.length : Math.max(0, all.length - 1);
      t.fact("4.8-3", equal(rest.length, expected), "offset 1 skips one assistant");
    },
  },
  "4.8/stream-fields": {
    title: "a stream takes assistant_id, input, stream_mode and webhook, and sends events",
    requirements: ["4.8-2"],
    needs: AGENT,
    async run(t) {
      const assistant_id = await assistant(t);
      const tail = `${await thread(t)}/runs/stream`;
      const stream = (webhook: string) =>
        postToThread(t, tail, { assistant_id, input: INPUT, stream_mode: "events", webhook });
      const reply = await stream("/ok");
      // The server may have disable_loopback, which refuses relative URLs (§6.1).
      const { status, headers, text } = isRefused(reply.status) ? await stream(EXTERNAL_URL) : reply;
      t.must("4.8-2", accepted(status), "the fields in the specification are accepted");
      const isStream = (headers["content-type"] ?? "").startsWith("text/event-stream");
      t.choice(
        "agent.stream_framing",
        isStream && /^event: metadata/m.test(text),
        "the reply is a stream of server-sent events that begins with metadata",
      );
      // Lines that begin with a colon are comments.
      t.fact("4.8-2", /^[^:\s]/m.test(text), "the stream contains data", { actual: text.slice(0, 200) });
      const refusals = async (body: Members) =>
        refused((await t.call("POST", "/runs/stream", { body })).status);
      for (const wrong of [{ assistant_id: 7 }, { assistant_id, webhook: 7 }])
        t.fact(
          "4.8-2",
          await refusals(wrong),
          `${Object.keys(wrong).join(", ")} of another type are refused`,
        );
      const values = [{ input: INPUT }, { assistant_id, stream_mode: "nonsense" }];
      const inputs = ["text", ["text"], 7, true].map((input) => ({ assistant_id, input }));
      for (const other of [...values, ...inputs])
        t.choice("agent.request_values", await refusals(other), `${JSON.stringify(other)}: refused`);
    },
  },
  "4.8/wait-answers": {
    title: "wait replies when the run has ended",
    requirements: ["4.8-4"],
    needs: AGENT,
    async run(t) {
      const id = await thread(t);
      const body = { assistant_id: await assistant(t), input: INPUT };
      const { status, text } = await postToThread(t, `${id}/runs/wait`, body);
      t.choice(
        "agent.wait_outcome",
        status === 200 && text.includes("Hello"),
        "the reply contains the values of the thread",
      );
      const [run] = await listRuns(t, id);
      t.choice("4.8-4", equal(run?.status, "success"), "the run has ended");
    },
  },
  "4.8/cron-fires": {
    title: "a cron starts runs on its schedule",
    requirements: ["4.8-4"],
    needs: MOVING_CLOCK,
    async run(t) {
      const id = await thread(t);
      const body = { assistant_id: await assistant(t), input: INPUT, schedule: "*/10 * * * *" };
      const { status } = await postToThread(t, `${id}/runs/crons`, body);
      t.choice("4.8-4", accepted(status), "the cron is created");
      const now = await t.now();
      const next = Math.floor(now / (10 * MINUTE) + 1) * 10 * MINUTE;
      await t.advance({ to: iso(next - 1000) });
      t.choice(
        "agent.cron_schedule",
        (await listRuns(t, id)).length === 0,
        "no run is started before the scheduled time",
      );
      await t.advance({ to: iso(next + 20 * MINUTE) });
      const runs = await listRuns(t, id);
      t.choice("agent.cron_schedule", equal(runs.length, 3), "three runs are started in twenty minutes");
    },
  },
  "4.8/cron-search": {
    title: "crons can be searched",
    requirements: ["4.8-4"],
    needs: ["agent"],
    async run(t) {
      const { status, body } = await t.call("POST", "/runs/crons/search", { body: { limit: 10, offset: 0 } });
      const holds = status === 200 && Array.isArray(body);
      t.choice("agent.cron_operations", holds, "the search returns a list", { actual: status });
    },
  },
  "5/agent-without-key": {
    title: "the agent server accepts calls without a key",
    requirements: ["5-5"],
    needs: ["agent"],
    async run(t) {
      const headers = { "x-api-key": null, "x-tenant-id": null };
      const { status } = await t.call("POST", "/assistants/search", {
        body: { limit: 1, offset: 0 },
        headers,
      });
      t.choice("5-5", equal(status, 200), "it answers");
    },
  },
  "9/description": {
    title: "the OpenAPI document of the agent server has its version",
    requirements: ["9-1"],
    needs: ["agent"],
    async run(t) {
      const { status, text } = await t.call("GET", "/openapi.json", { unchecked: true });
      // Where the description is found is not shown, only what it carries (§9).
      const hasDocument = t.choice(
        "agent.description_path",
        equal(status, 200),
        "/openapi.json returns a document",
      );
      if (!hasDocument) return;
      const { info } = (jsonOf(text) ?? {}) as { readonly info?: { readonly version?: unknown } };
      t.fact("9-1", equal(info?.version, DESCRIPTION_VERSION), "its version is the documented version");
    },
  },
  "9/prefix": {
    title: "bulk-export paths begin with /api/v1",
    requirements: ["9-1"],
    needs: ["platform"],
    async run(t) {
      const { status } = await t.call("GET", `${API_PREFIX}/bulk-exports`);
      t.fact("9-1", equal(status, 200), "the paths exist");
      const bare = await t.call("GET", "/bulk-exports");
      t.choice("9-1", bare.status >= 400, "the paths do not exist without the prefix", {
        actual: bare.status,
      });
    },
  },
});
