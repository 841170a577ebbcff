import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import type { EmulatorOptions } from "../../emulator/runtime/index.ts";
import { type Receiver, startReceiver } from "../subjects/webhooks/receivers.ts";
import { DESTINATION, HEADERS, type Rig, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

/** Every field that may hold a secret has one of its own: `Hidden-<place>`, which no reply and no file may have. */
const PLANTED = /hidden-[a-z-]+[a-z]/gi;
const secret = (place: string): string => `Hidden-${place}`;

let data: string;
let hook: Receiver;
let rig: Rig;

const OPTIONS: EmulatorOptions = {
  ephemeral: false,
  auth: { mode: "keys", keys: [{ key: secret("auth-key"), tenants: [HEADERS["x-tenant-id"]] }] },
  webhooks: { headers: { "X-Proof": secret("static-header") } },
  seed_data: {
    keys: [
      { access_key_id: "seeded", secret_access_key: secret("seed-key"), session_token: secret("seed-token") },
    ],
  },
};
const KEY = { "x-api-key": secret("auth-key"), authorization: `Bearer ${secret("bearer")}` };

/** Of the table of operations, so that a new one with a webhook is planted without a change here. */
const OPERATIONS_WITH_WEBHOOK = Object.entries(OPERATIONS)
  .map(([id, { method, path, ...row }]) => ({ id, method, path, body: "body" in row ? row.body : null }))
  .filter(({ body }) => JSON.stringify(body).includes('"webhook"'));

beforeEach(async () => {
  data = workingFolder();
  hook = await startReceiver((response, { url, headers }) => {
    if (url.startsWith("/redirected?")) response.writeHead(302, { location: hookAt("target") });
    response.end(`${url} ${headers["x-proof"]}`);
  });
  rig = await startRig({ ...OPTIONS, data });
});

afterEach(async () => {
  await rig.close();
  await hook.close();
});

/** The address of a webhook with a secret in each of its parts. */
function hookAt(place: string, base = hook.url): string {
  const user = `${secret(`${place}-user`)}:${secret(`${place}-password`)}@`;
  const query = `token=${secret(`${place}-token`)}&other=${secret(`${place}-unnamed`)}`;
  return `${base.replace("://", `://${user}`)}/${place}?${query}#${secret(`${place}-fragment`)}`;
}

/** Secret members of every type, as assistants, threads, runs and crons may have them in their configuration. */
function configAt(place: string) {
  return {
    configurable: {
      openai_api_key: secret(`${place}-text`),
      passwords: [secret(`${place}-list`), { deep: secret(`${place}-object`) }],
      secret: { a: { b: secret(`${place}-nested`) } },
      note: `see https://${secret(`${place}-url-user`)}@h.example/?access_token=${secret(`${place}-url-query`)}`,
    },
  };
}

async function call(method: string, path: string, body?: unknown): Promise<Record<string, string>> {
  const reply = await rig.call<Record<string, string>>(method, path, body, KEY);
  if (reply.status >= 300)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Agents, their webhooks and inboxes. */
async function plantAgents(): Promise<void> {
  const { assistant_id } = await call("POST", "/assistants", {
    graph_id: "echo",
    config: configAt("assistant"),
  });
  await call("PATCH", `/assistants/${assistant_id}`, { context: configAt("assistant-patch").configurable });
  // Metadata are part of traces, which exports have to carry: they are data, as the rows are.
  const { thread_id } = await call("POST", "/threads", { config: configAt("thread") });
  const run = (place: string, webhook = hookAt(place)) => ({
    assistant_id,
    webhook,
    config: configAt(`${place}-run`),
  });
  const runs = `/threads/${thread_id}/runs`;
  await call("POST", runs, run("inbox", `/_emulator/inbox/mine?token=${secret("inbox-query")}`));
  await call("POST", runs, run("redirected"));
  await call("POST", runs, run("refused", hookAt("refused", "http://127.0.0.1:9")));
  const refusal = [hookAt("ftp", "ftp://h.example"), `${hookAt("long")}${"x".repeat(70_000)}`];
  for (const webhook of [...refusal, hookAt("no-url", "http://[")])
    expect((await rig.call("POST", runs, run("ftp", webhook), KEY)).status).toBe(422);
  await call("POST", runs, { ...run("later"), after_seconds: 86_400 });
  const cron = { schedule: "0 3 * * *", ...run("cron") };
  const { cron_id } = await call("POST", "/runs/crons", cron);
  for (const { id, method, path } of OPERATIONS_WITH_WEBHOOK) {
    const own = id === "updateCron" ? { webhook: hookAt(id), config: configAt(id) } : { ...cron, ...run(id) };
    const url = path.replace("{thread_id}", `${thread_id}`).replace("{cron_id}", `${cron_id}`);
    const body = JSON.stringify(path.endsWith("/batch") ? [own] : own);
    const reply = await fetch(rig.emulator.url + url, { method, headers: { ...HEADERS, ...KEY }, body });
    expect([id, reply.status, (await reply.text()) !== ""]).toEqual([id, 200, true]);
  }
}

/** Destinations, S3 keys, faults, and a message for an inbox. */
async function plantOthers(): Promise<void> {
  const { emulator } = rig;
  const keys = { secret_access_key: secret("s-three-secret"), session_token: secret("s-three-session") };
  await emulator.control("POST", "/s3/credentials", { access_key_id: "mine", ...keys });
  const credentials = { access_key_id: "mine", ...keys };
  await call("POST", "/api/v1/bulk-exports/destinations", { ...DESTINATION, credentials });
  const own = new URL(emulator.s3Url);
  own.username = secret("endpoint-user");
  own.password = secret("endpoint-password");
  const config = { ...DESTINATION.config, endpoint_url: own.href };
  await call("POST", "/api/v1/bulk-exports/destinations", { ...DESTINATION, config });
  await emulator.faults.arm({
    target: "webhook",
    match: { url: hookAt("fault") },
    then: { status: 500 },
    times: 1,
  } as never);
  await fetch(`${emulator.url}/_emulator/inbox/mine?token=${secret("message-query")}`, {
    method: "POST",
    headers: { ...KEY, "x-proof": secret("message-proof"), cookie: `s=${secret("message-cookie")}` },
    body: JSON.stringify({ webhook: hookAt("message"), api_key: [secret("message-body")] }),
  });
  await emulator.control("POST", "/webhooks/check", { url: hookAt("check") });
  await rig.call("GET", `/runs?api_key=${secret("request-query")}`, undefined, KEY);
}

async function viewOf(path: string): Promise<string> {
  const reply = await fetch(`${rig.emulator.url}/_emulator/v1${path}`);
  expect([path, reply.status]).toEqual([path, 200]);
  return Buffer.from(await reply.arrayBuffer()).toString("latin1");
}

/** What the control API shows of a world. */
async function views(): Promise<Readonly<Record<string, string>>> {
  const paths = [
    "/recording",
    "/journal",
    "/status",
    "/config",
    "/clock",
    "/faults",
    "/rate-limits",
    "/webhooks/deliveries",
    "/webhooks/inbox/mine",
    "/s3/credentials",
    "/worlds",
    "/snapshots",
  ];
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await viewOf(path)])));
}

/** Every byte below the data folder, and unpacked what is packed. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "latin1")]));
}

/** Which secrets are where. */
function search(texts: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    [...new Set(text.match(PLANTED) ?? [])].map((planted) => `${name}: ${planted}`),
  );
}

async function plant(): Promise<void> {
  await plantAgents();
  await plantOthers();
  await rig.emulator.clock.advance("PT10S");
}

describe("no secret is in clear", () => {
  it("in what the control API shows, in a data folder at work, after its end, and in a snapshot file", async () => {
    await plant();
    const shownNow = await views();
    expect(shownNow["/webhooks/deliveries"]).toMatch(/"redirects":\["http/);
    expect(search(shownNow)).toEqual([]);
    expect(search(filesIn(data))).toEqual([]);
    await rig.emulator.snapshots.save("kept");
    const reply = await fetch(`${rig.emulator.url}/_emulator/v1/snapshots/kept/file`);
    const file = gunzipSync(Buffer.from(await reply.arrayBuffer())).toString("latin1");
    expect(file).toContain("left-out");
    expect(search({ file })).toEqual([]);
    await rig.close();
    const files = filesIn(data);
    expect(Object.keys(files).some((path) => path.endsWith(".ndjson"))).toBe(true);
    expect(search(files)).toEqual([]);
  });
});

describe("a stored secret", () => {
  it("is used unchanged after a restart and in a fork", async () => {
    await plant();
    await rig.close();
    rig = await startRig({ ...OPTIONS, data, now: undefined });
    hook.received.length = 0;
    const fork = await rig.emulator.fork();
    for (const world of [rig.emulator, fork]) await world.clock.advance("P2D");
    const later = hook.received.filter(({ url }) => url.startsWith("/later"));
    expect(later).toHaveLength(2);
    for (const { url, headers, body } of later) {
      expect(url).toBe(`/later?token=${secret("later-token")}&other=${secret("later-unnamed")}`);
      expect(headers.authorization).toBe(
        `Basic ${btoa(`${secret("later-user")}:${secret("later-password")}`)}`,
      );
      expect(body).toContain(secret("later-run-nested"));
    }
    expect(hook.received.some(({ url }) => url.includes(secret("updateCron-token")))).toBe(true);
  });
});

it("a planted secret is noticed", () => {
  expect(OPERATIONS_WITH_WEBHOOK.length).toBeGreaterThanOrEqual(10);
  expect(search({ a: `x ${hookAt("b", "http://h")}` })).toHaveLength(5);
});
