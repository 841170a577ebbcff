import { describe, expect, it } from "vitest";
import { exchangeOf } from "../../contracts/engine/exchange.ts";
import { record } from "../../scenarios/recording.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

/** One for each place; none of them is the beginning of another. */
const SECRETS = {
  user: "u-hidden1",
  password: "p-hidden2",
  token: "t-hidden3",
  unnamed: "n-hidden4",
  key: "k-hidden5",
  signature: "s-hidden6",
  header: "h-hidden7",
};
const HIDDEN = /hidden\d/;
const HOOK = `http://${SECRETS.user}:${SECRETS.password}@127.0.0.1:9/hook?token=${SECRETS.token}&x=${SECRETS.unnamed}`;
const PRESIGNED = `https://s3.example/traces/a?X-Amz-Credential=${SECRETS.key}&X-Amz-Signature=${SECRETS.signature}&X-Amz-Date=20260101T000000Z`;

const rig = useRig("test", () => startRig());

/** A run whose webhook and input hold secrets, and a listing that is asked for with some in its query. */
async function play(): Promise<void> {
  const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
  const run = {
    assistant_id: "echo",
    input: { messages: [{ role: "user", content: `fetch ${PRESIGNED}, tell ${HOOK.replace(/&x=.*/, "")}` }] },
    webhook: HOOK,
  };
  const path = `/threads/${thread.thread_id}/runs`;
  expect((await rig.call("POST", path, run, { "x-api-key": SECRETS.header })).status).toBe(200);
  await rig.emulator.clock.advance("PT10M");
  const query = `?limit=7&api_key=${SECRETS.key}&token=${SECRETS.token}&X-Amz-Signature=${SECRETS.signature}`;
  await rig.call("GET", `${path}${query}`);
}

async function viewOf(path: string): Promise<string> {
  return (await fetch(`${rig.emulator.url}/_emulator/v1${path}`)).text();
}

describe("secrets of URLs", () => {
  it("are in no recording, which can still be replayed", async () => {
    await play();
    const recording = await viewOf("/recording");
    expect(recording).not.toMatch(HIDDEN);
    expect(recording).toContain("limit=7&api_key=left-out&token=left-out&X-Amz-Signature=left-out");
    expect(recording).toContain("http://left-out@127.0.0.1:9/hook?token=left-out&x=left-out");
    expect(recording).toContain("X-Amz-Date=20260101T000000Z");
    const { text, warnings } = await record(rig.emulator.url);
    expect(text).not.toMatch(HIDDEN);
    expect(warnings).toContain("Secrets were left out: replace left-out with them.");
  });

  it("are in no entry of the webhook ledger, in no journal and in no status", async () => {
    await rig.emulator.faults.arm({ target: "webhook", match: {}, then: { status: 500 }, times: 1 } as never);
    await play();
    const ledger = await viewOf("/webhooks/deliveries");
    expect(JSON.parse(ledger)[0].attempts.length).toBeGreaterThan(1);
    expect(ledger).toContain("http://…@127.0.0.1:9/hook?token=…&x=…");
    for (const text of [ledger, await viewOf("/journal"), await viewOf("/status"), await viewOf("/faults")])
      expect(text).not.toMatch(HIDDEN);
  });

  it("are in no contract report", () => {
    const body = JSON.stringify({ webhook: HOOK, note: PRESIGNED, password: SECRETS.password });
    const request = {
      region: "us" as const,
      method: "POST" as const,
      path: "/runs",
      headers: { "x-api-key": SECRETS.header, authorization: `Bearer ${SECRETS.header}` },
      body,
    };
    const reply = { status: 200, headers: { "set-cookie": SECRETS.header, location: PRESIGNED }, text: body };
    const url = `http://127.0.0.1/runs?api_key=${SECRETS.key}&limit=1`;
    const exchange = exchangeOf(request as never, reply as never, url, new Set());
    // What is called nothing is known by its target alone; webhooks with other words are masked by the ledger.
    expect(JSON.stringify(exchange).replaceAll(SECRETS.unnamed, "")).not.toMatch(HIDDEN);
    expect(exchange.curl).toContain("?api_key=***&limit=1");
  });
});
