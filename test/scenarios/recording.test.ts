import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openInProcess } from "../../bin/replay/in-process.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/runtime/index.ts";
import { readScenario } from "../../scenarios/document.ts";
import type { Environments } from "../../scenarios/environment.ts";
import { record } from "../../scenarios/recording.ts";
import { replay } from "../../scenarios/replay.ts";
import { workingFolder } from "../support/emulator-process.ts";

const FIRST = "2026-03-01T00:00:00Z";

let folder: string;
let environments: Environments;
let emulator: Emulator;

beforeEach(() => {
  folder = workingFolder();
  environments = openInProcess();
});

afterEach(async () => {
  await emulator.close();
  await environments.close();
});

async function begin(options: EmulatorOptions = {}): Promise<void> {
  emulator = await startEmulator({ clock: "frozen", now: FIRST, seed: 9, ...options });
}

async function ask(path: string, body: unknown, headers: Record<string, string> = {}) {
  const reply = await fetch(`${emulator.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "emulator-key",
      "x-tenant-id": "00000000-0000-4000-8000-000000000001",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: reply.status, value: (await reply.json().catch(() => null)) as Record<string, unknown> };
}

/** The journal that the recorded scenario leaves, and the scenario. */
async function playedAgain() {
  const file = join(folder, "seen.scenario.yaml");
  writeFileSync(file, (await record(emulator.url)).text);
  const outcomes = await replay([readScenario(file)], { cwd: folder, jobs: 1, environments, update: true });
  expect(outcomes).toMatchObject([{ verdict: "passed" }]);
  const journal = readFileSync(join(folder, "seen.journal.ndjson"), "utf8");
  return { journal, scenario: parse(readFileSync(file, "utf8")) as Record<string, unknown> };
}

async function journal(): Promise<string> {
  return (await fetch(`${emulator.url}/_emulator/v1/journal`)).text();
}

describe("a recording produces the same journal", () => {
  it("when texts look like variables, and names are not variables", async () => {
    await begin();
    const odd = "11111111-1111-4111-8111-111111111111";
    const metadata = { "user-id": odd, "a.b": "22222222-2222-4222-8222-222222222222", "${key}": "$${x} ${" };
    const { value: thread } = await ask("/threads", { metadata });
    const input = { messages: [{ role: "user", content: "Dear ${name}, $${price} ${ {{x}}" }] };
    await ask(`/threads/${thread.thread_id}/runs/wait`, { assistant_id: "echo", input });
    await ask("/threads/search", { metadata: { "user-id": odd } });
    await ask("/threads/search", { metadata: { "a.b": metadata["a.b"] } });
    await ask("/threads?of=${nobody}", "a ${text}");
    const again = await playedAgain();
    expect(again.journal).toBe(await journal());
    expect(again.scenario.settings).toBeUndefined();
  });

  it("when a document has digits and an order that JavaScript changes", async () => {
    await begin();
    const document = '{"metadata":{"b":9007199254740993,"10":10.0}}';
    const fault = `{"target":"http","match":{"op":"GET /ok"},"then":{"status":500,"body":${document}},"optional":true}`;
    for (const [path, body] of [
      ["/threads", document],
      ["/_emulator/v1/faults", fault],
    ])
      await fetch(`${emulator.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "emulator-key" },
        body: body ?? "",
      });
    const again = await playedAgain();
    expect(again.scenario).toMatchObject({ when: [{ body: document }, { body: fault }] });
    expect(again.journal).toBe(await journal());
  });

  it("when requests were refused for coming too often", async () => {
    await begin({ rate_limits: { enabled: true } });
    const statuses: number[] = [];
    for (let round = 0; round < 16; round += 1) statuses.push((await ask("/runs/query", {})).status);
    expect(statuses.at(-1)).toBe(429);
    const again = await playedAgain();
    expect(again.scenario.settings).toEqual({ rate_limits: { enabled: true } });
    expect(again.journal).toBe(await journal());
  });

  it("when the emulator has another profile, and a caller is a user without a key", async () => {
    await begin({ profile: "observed" });
    const reply = await fetch(`${emulator.url}/runs/query`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-user-id": "somebody" },
      body: JSON.stringify({ session: ["33333333-3333-4333-8333-333333333333"] }),
    });
    expect(reply.status).toBe(200);
    const again = await playedAgain();
    expect(again.scenario).toMatchObject({
      settings: { profile: "observed" },
      when: [{ headers: { "x-user-id": "somebody", "x-api-key": "" } }],
    });
    expect(again.journal).toBe(await journal());
  });

  it("when spans name their project by a header", async () => {
    await begin();
    const span = {
      traceId: "5b8efff798038103d269b633813fc60c",
      spanId: "eee19b7ec3c1b174",
      name: "spanned",
      startTimeUnixNano: "1772323200000000000",
      endTimeUnixNano: "1772323201000000000",
    };
    const batch = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
    const reply = await ask("/otel/v1/traces", batch, { "langsmith-project": "spanned-project" });
    expect(reply.status).toBeLessThan(300);
    const again = await playedAgain();
    expect(again.journal).toContain("spanned-project");
    expect(again.journal).toBe(await journal());
  });
});
