import { suite } from "../engine/case.ts";
import { accepted, equal, every, isRefused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { instantOf, MINUTE } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { ENDED_STATUSES, RUN_MEMBERS, STARTING_OPERATIONS } from "../facts/agent.ts";
import {
  assistant,
  awaitEnd,
  deliveredRun,
  INPUT,
  listRuns,
  postToListedPath,
  script,
  startRun,
  thread,
} from "./agent-helpers.ts";
import { EXTERNAL_URL, TIMEOUT_MS } from "./webhooks.ts";

const slugOf = (path: string) =>
  path
    .replace(/\/\{[^}]*\}/g, "")
    .slice(1)
    .replaceAll("/", "-");

const ACCEPTING_CASES = STARTING_OPERATIONS.map(
  ({ path, onThread, cron }) =>
    [
      `4.8/${slugOf(path)}`,
      {
        title: `POST ${path} accepts a webhook`,
        requirements: ["4.8-1"] as const,
        needs: ["writes", "agent"] as const,
        async run(t: Contract) {
          const { tenantId } = t.identity;
          const assistant_id = await assistant(t);
          const startWith = async (template: string, webhook: string) => {
            const body = { assistant_id, input: INPUT, webhook, ...(cron && { schedule: "0 * * * *" }) };
            const thread_id = onThread ? await thread(t) : "";
            const called = template.replace("{thread_id}", thread_id);
            const reply = await t.call("POST", called, { body });
            // The fields of a cron are not shown: another server may require the thread as well.
            const isIncomplete = cron && (reply.status === 400 || reply.status === 422);
            if (!isIncomplete) return reply;
            const requestBody = { ...body, thread_id: thread_id || (await thread(t)) };
            return t.call("POST", called, { body: requestBody });
          };
          const start = async (template: string) => {
            const reply = await startWith(template, `/ok?case=${tenantId}`);
            // The server may have disable_loopback, which refuses relative URLs (§6.1).
            const other = isRefused(reply.status) && (await startWith(template, EXTERNAL_URL));
            return other && accepted(other.status).holds ? other : reply;
          };
          // The public service was seen to have the plural paths alone.
          const isPlural = onThread && t.chosen("agent.both_spellings") === "/threads";
          const { status } = await start(isPlural ? path.replace("/thread/", "/threads/") : path);
          t.fact("4.8-1", status >= 200 && status < 300, `POST ${path} is accepted`, { actual: status });
          if (!onThread || isPlural) return;
          const plural = await start(path.replace("/thread/", "/threads/"));
          const isSame = plural.status < 300;
          t.choice("agent.both_spellings", isSame, `POST ${path} also works in the plural`, {
            actual: plural.status,
          });
        },
      },
    ] as const,
);

export const STARTING_CASES = suite({
  ...Object.fromEntries(ACCEPTING_CASES),
  "6/each-operation": {
    title: "the end of a run posts the Run once, whichever operation started it",
    requirements: ["6-1"],
    needs: ["writes", "agent", "receiver"],
    async run(t) {
      const assistant_id = await assistant(t);
      for (const { path, cron } of STARTING_OPERATIONS) {
        // Nobody waits an hour of real time for a cron.
        if (cron && !t.has("clock")) continue;
        const receiver = await t.receiver();
        const name = t.draw.word();
        const input = { ...INPUT, marker: name };
        const webhook = `${receiver.url}/${name}`;
        const body = { assistant_id, input, webhook, ...(cron && { schedule: "0 * * * *" }) };
        const reply = await postToListedPath(t, path, body);
        t.must("6-1", accepted(reply.status), `POST ${path} accepts a webhook`);
        if (t.has("clock")) await t.advance(cron ? "PT1H" : "PT1S");
        await receiver.arrived(1, TIMEOUT_MS);
        const mine = receiver.deliveries.filter((delivery) => delivery.path === `/${name}`);
        t.must("6-1", equal(mine.length, 1), `${path}: one delivery`);
        const run = deliveredRun(t, mine[0]);
        t.fact("6-1", equal(mine[0]?.method, "POST"), "the delivery is a POST request");
        t.fact(
          "6-1",
          every([run.status], ...ENDED_STATUSES),
          `${path}: the payload is the run in its final state`,
        );
        for (const field of RUN_MEMBERS) t.fact("6-1", field in run, `${path}: the payload has ${field}`);
        t.fact("6-1", JSON.stringify(run.kwargs).includes(name), `${path}: kwargs contain the input`);
        if (cron) await t.call("DELETE", `/runs/crons/${(reply.body as Members).cron_id}`);
      }
    },
  },
  "6/payload": {
    title: "the payload is the run as the list has it after its end",
    requirements: ["6-1"],
    needs: ["writes", "agent", "receiver"],
    async run(t) {
      const receiver = await t.receiver();
      const id = await thread(t);
      const isTimed = t.has("clock") && t.has("scripts");
      if (isTimed) await script(t, id, { status: "success", after: "PT1M" });
      await startRun(t, id, { webhook: receiver.url });
      if (isTimed) await t.advance("PT2M");
      else await awaitEnd(t, id);
      await receiver.arrived(1, TIMEOUT_MS);
      t.must("6-1", equal(receiver.deliveries.length, 1), "one delivery");
      const [listedRun] = await listRuns(t, id);
      const payload = deliveredRun(t, receiver.deliveries[0]);
      for (const name of ["run_id", "thread_id", "assistant_id", "status"] as const)
        t.fact("6-1", equal(payload[name], listedRun?.[name]), `${name} is that of the run`);
      const createdAt = instantOf(payload.created_at);
      t.fact("6-1", equal(createdAt, instantOf(listedRun?.created_at)), "created_at is that of the run");
      const ranMs = instantOf(payload.updated_at) - createdAt;
      const leastMs = isTimed ? MINUTE : 0;
      t.fact("6-1", ranMs >= leastMs, "updated_at is the time of the last update", {
        expected: `${leastMs} ms or more after created_at`,
        actual: `${ranMs} ms after it`,
      });
    },
  },
});
