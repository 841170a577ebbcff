import { type CaseRow, suite } from "../engine/case.ts";
import { accepted, equal, isRefused, refused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import type { Members } from "../engine/json.ts";
import type { Receiver } from "../engine/target.ts";
import { GATES, versionsAround } from "../facts/versions.ts";
import type { RequirementId } from "../spec/requirements.ts";
import {
  assistant,
  awaitEnd,
  deliveredRun,
  INPUT,
  listRuns,
  postToThread,
  script,
  startRun,
  thread,
} from "./agent-helpers.ts";

const WEBHOOK_NEEDS = ["writes", "agent", "receiver"] as const;
export const RETRY_NEEDS = [...WEBHOOK_NEEDS, "clock"] as const;
export const POLICY_NEEDS = ["writes", "agent"] as const;

/** Wall-clock wait for a delivery on this machine. */
export const TIMEOUT_MS = 5000;
const NO_RECEIVER = "http://127.0.0.1:9";
/** Two retries of a service that waits some seconds before each. */
const RETRY_TIMEOUT_MS = 10_000;

/** Starts a run with this webhook; returns the status of the reply. */
export async function startWith(t: Contract, webhook: string): Promise<number> {
  const body = { assistant_id: await assistant(t), input: INPUT, webhook };
  return (await postToThread(t, `${await thread(t)}/runs`, body)).status;
}

/** Ends the case when no webhook arrived, because nothing can be checked then. */
async function requireDelivery(t: Contract, receiver: Receiver): Promise<void> {
  await receiver.arrived(1, TIMEOUT_MS);
  t.must("6-1", receiver.deliveries.length > 0, "the end of a run posts to its webhook", {
    expected: "a webhook",
    actual: "no delivery was received",
  });
}

/**
 * Expects that a rule rejects URLs. The reply is not shown (§7.3): a server may accept the run and not call, but one that
 * refuses some of them has to refuse the others. Returns whether it refuses them.
 */
export async function expectRejected(
  t: Contract,
  id: RequirementId,
  urls: readonly string[],
): Promise<boolean> {
  let areRefused = false;
  for (const url of urls) {
    const status = await startWith(t, url);
    if (areRefused) t.fact(id, refused(status), `${url.slice(0, 60)} is refused`);
    t.choice("agent.webhook_refusal", equal(status, 422), "a refused URL is answered with 422");
    areRefused ||= isRefused(status);
  }
  return areRefused;
}

/**
 * A case for URL settings: URLs that they allow and URLs that they reject. The first rejected one is the receiver, or the path
 * that starts a run on another thread, if the rule rejects it: only there a call is noticed.
 */
export function policy(
  id: RequirementId,
  title: string,
  url: Members,
  good: readonly string[],
  badOf: (receiver: string, path: string) => readonly string[],
): CaseRow {
  return {
    title,
    requirements: [id, "6-3"],
    needs: POLICY_NEEDS,
    settings: { webhooks: { url } },
    async run(t) {
      const receiver = t.has("receiver") ? await t.receiver() : undefined;
      const threadId = await thread(t);
      const [first = "", ...others] = badOf(receiver?.url ?? NO_RECEIVER, `/threads/${threadId}/runs`);
      const isRejected = await expectRejected(t, id, [first]);
      if (!isRejected && t.has("clock")) await t.advance("PT1M");
      else if (!isRejected) await receiver?.arrived(1, TIMEOUT_MS);
      const runs = threadId === t.identity.threadId ? [] : await listRuns(t, threadId);
      const calls = runs.length + (receiver?.deliveries.length ?? 0);
      t.fact(id, equal(calls, 0), "the receiver and the thread of rejected URLs are not called");
      // A local address may be refused for another reason than the rule.
      await expectRejected(t, id, others);
      for (const webhook of good)
        t.fact(id, accepted(await startWith(t, webhook)), `${webhook.slice(0, 60)} is accepted`);
    },
  };
}

export const EXTERNAL_URL = "https://hooks.contract.example.com/run";

export const WEBHOOK_CASES = suite({
  "6/statuses": {
    title: "every final status is delivered",
    requirements: ["6-2", "6-1"],
    needs: [...RETRY_NEEDS, "scripts"],
    async run(t) {
      for (const status of ["success", "error", "timeout", "interrupted"]) {
        const receiver = await t.receiver();
        const id = await thread(t);
        await script(t, id, { status });
        await startRun(t, id, { webhook: receiver.url });
        await t.advance("PT2H");
        await receiver.arrived(1, TIMEOUT_MS);
        const [first] = receiver.deliveries;
        const run = first && deliveredRun(t, first);
        t.choice("6-2", equal(run?.status, status), `${status} is delivered`);
        t.fact("6-1", receiver.deliveries.length <= 1, "each status is delivered once", {
          actual: receiver.deliveries.length,
        });
      }
    },
  },
  "6/retries": {
    title: "deliveries are retried when the receiver fails, with the usual header and no signature",
    requirements: ["6-3", "6-1"],
    needs: WEBHOOK_NEEDS,
    async run(t) {
      const receiver = await t.receiver();
      receiver.answerWith(503, 503);
      await startRun(t, await thread(t), { webhook: receiver.url });
      if (t.has("clock")) await t.advance("PT1H");
      else await receiver.arrived(3, RETRY_TIMEOUT_MS);
      await requireDelivery(t, receiver);
      const count = receiver.deliveries.length;
      t.choice("agent.webhook_attempts", equal(count, 3), "two failures and a success are three deliveries");
      const [first] = receiver.deliveries;
      const type = first?.headers["content-type"];
      t.choice(
        "agent.webhook_headers",
        type?.startsWith("application/json") === true,
        "the delivery is sent as JSON",
        {
          actual: type,
        },
      );
      const signed = Object.keys(first?.headers ?? {}).filter((name) => name.includes("signature"));
      t.choice("agent.webhook_headers", signed.length === 0, "the delivery is not signed", {
        actual: signed,
      });
    },
  },
  "6/refused-forms": {
    title: "an invalid URL is refused",
    requirements: ["6-3"],
    needs: POLICY_NEEDS,
    async run(t) {
      for (const webhook of ["ftp://example.com/x", "//example.com/x", "nonsense", "file:///etc/passwd"]) {
        const status = await startWith(t, webhook);
        t.choice("agent.webhook_url_form", equal(status, 422), `${webhook} is refused with 422`);
      }
    },
  },
  "5/webhook-token": {
    title: "a token in the query of the URL is sent unchanged",
    requirements: ["5-4", "6-1"],
    needs: WEBHOOK_NEEDS,
    async run(t) {
      const receiver = await t.receiver();
      const path = "/hook?token=a%2Fb+c&other=%C3%BC&empty=";
      const id = await thread(t);
      await startRun(t, id, { webhook: receiver.url + path });
      await awaitEnd(t, id);
      await requireDelivery(t, receiver);
      t.fact("5-4", equal(receiver.deliveries[0]?.path, path), "path and query are unchanged");
    },
  },
  "6.1/headers": {
    title: "every delivery has the static headers, with variables replaced",
    requirements: ["6.1-1", "6.1-2", "5-4"],
    needs: RETRY_NEEDS,
    settings: {
      webhooks: {
        env_prefix: "LG_WEBHOOK_",
        headers: {
          "X-Static": "fixed",
          "X-Token": "Bearer ${{ env.LG_WEBHOOK_CONTRACT }}!",
          "X-Pair":
            "${{ env.LG_WEBHOOK_CONTRACT }}:${{env.LG_WEBHOOK_SECOND}}:${{ env.LG_WEBHOOK_CONTRACT }}",
        },
      },
      environment: { LG_WEBHOOK_CONTRACT: "from-the-environment", LG_WEBHOOK_SECOND: "second" },
    },
    async run(t) {
      const receiver = await t.receiver();
      const urls = ["/a", "", "/b?token=a%2Fb", "?token=c&empty="];
      for (const url of urls) {
        await startRun(t, await thread(t), { webhook: receiver.url + url });
        await t.advance("PT1S");
      }
      await receiver.arrived(urls.length, TIMEOUT_MS);
      t.must("6.1-1", equal(receiver.deliveries.length, urls.length), "each run is one delivery");
      for (const { headers, path } of receiver.deliveries) {
        t.fact("6.1-1", equal(headers["x-static"], "fixed"), `the delivery to ${path} has the static header`);
        t.fact("5-4", headers["x-static"] === "fixed", "the value is usable as a credential");
        const expected = "Bearer from-the-environment!";
        t.fact("6.1-2", equal(headers["x-token"], expected), "the variable is replaced by its value");
        const pair = "from-the-environment:second:from-the-environment";
        t.fact("6.1-2", equal(headers["x-pair"], pair), "each variable of a value is replaced");
      }
    },
  },
  "6.1/loopback": {
    title: "a relative URL is an internal call",
    requirements: ["6.1-7"],
    needs: [...RETRY_NEEDS, "control"],
    async run(t) {
      const name = t.draw.word();
      await startRun(t, await thread(t), { webhook: `/_emulator/inbox/${name}` });
      await t.advance("PT1S");
      const inbox = await t.control<readonly Members[]>("GET", `/webhooks/inbox/${name}`);
      t.fact("6.1-7", equal(inbox.length, 1), "the delivery is received at the path of the same server");
    },
  },
  "6.1/disabled": {
    title: "disable_webhooks disables every delivery, whatever started the run",
    requirements: ["6.1-9"],
    needs: RETRY_NEEDS,
    settings: { http: { disable_webhooks: true } },
    async run(t) {
      const receiver = await t.receiver();
      const status = await startWith(t, receiver.url);
      t.choice("agent.webhook_disabled", accepted(status), "the run is accepted");
      const id = await thread(t);
      const body = { assistant_id: await assistant(t), input: INPUT, webhook: receiver.url };
      await postToThread(t, `${id}/runs/crons`, { ...body, schedule: "*/10 * * * *" });
      await t.advance("PT1H");
      t.choice("4.8-4", (await listRuns(t, id)).length > 0, "the cron has started runs");
      t.fact("6.1-9", equal(receiver.deliveries.length, 0), "nothing is delivered");
    },
  },
  "6.1/versions": {
    title: "webhook settings are accepted from their version on",
    requirements: ["6.1-10", "6.1-9"],
    needs: ["settings"],
    async run(t) {
      for (const [requirement, gate, more] of [
        ["6.1-10", GATES.webhook_settings, { webhooks: { headers: { "X-Static": "fixed" } } }],
        ["6.1-9", GATES.disable_webhooks, { http: { disable_webhooks: true } }],
      ] as const) {
        const { older, newer } = versionsAround(gate.agent_server);
        for (const agent_server of [...older, ...newer]) {
          const error = await t.refusesToStart({ versions: { agent_server }, ...more });
          const isOld = older.includes(agent_server);
          const message = `${Object.keys(more).join()} is ${isOld ? "refused" : "accepted"} by agent server ${agent_server}`;
          t.fact(requirement, isOld ? error !== null : equal(error, null), message);
        }
      }
    },
  },
});
