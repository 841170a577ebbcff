import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { afterEach, describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../../emulator/runtime/index.ts";
import { type Rig, startRig } from "../../support/emulator.ts";

const PROJECT = "limited";
const WINDOW_SECONDS = 10;

let rig: Rig;
let client: Client;

/** An emulator that admits few requests, and the client as its users get it: nothing of it is replaced. */
async function begin(rows: NonNullable<EmulatorOptions["rate_limits"]>["rows"]): Promise<void> {
  rig = await startRig({ rate_limits: { enabled: true, ...(rows && { rows }) } });
  client = new Client({ apiUrl: rig.emulator.url, apiKey: "emulator-key", autoBatchTracing: true });
}

afterEach(() => rig.close());

interface JournalLine {
  readonly cause: { readonly name: string; readonly detail?: { readonly path?: string } };
}

async function* journalOf({ emulator }: Rig, signal: AbortSignal): AsyncIterable<JournalLine> {
  const { body } = await fetch(`${emulator.url}/_emulator/v1/journal?follow=1`, { signal });
  let text = "";
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = `${text}${piece}`.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield JSON.parse(line);
  }
}

/** Returns as soon as a request for this path was refused. */
async function untilRefused(path: string): Promise<void> {
  const reader = new AbortController();
  for await (const { cause } of journalOf(rig, reader.signal))
    if (cause.name === "rate_limit" && cause.detail?.path === path) break;
  reader.abort();
}

/** How often a path was refused. */
async function refusalsOf(path: string): Promise<number> {
  const journal = await (await fetch(`${rig.emulator.url}/_emulator/v1/journal`)).text();
  const lines = journal.split("\n").filter((line) => line !== "");
  return lines.filter((line) => {
    const { cause }: JournalLine = JSON.parse(line);
    return cause.name === "rate_limit" && cause.detail?.path === path;
  }).length;
}

async function traceOne(question: string): Promise<void> {
  const settings = { client, project_name: PROJECT, tracingEnabled: true };
  const model = traceable(async (question: string) => `answer to ${question}`, {
    ...settings,
    name: `model ${question}`,
    run_type: "llm",
  });
  await traceable(model, { ...settings, name: `chain ${question}` })(question);
}

interface Listed {
  readonly name: string;
  readonly status: string;
  readonly outputs: unknown;
}

/** What the emulator has, asked for without the client. */
async function storeRows(): Promise<readonly Listed[]> {
  const sessions = await rig.call<{ id: string }[]>("GET", `/sessions?name=${PROJECT}`);
  const session = sessions.body.map(({ id }) => id);
  const { body } = await rig.call<{ runs: Listed[] }>("POST", "/runs/query", { session });
  return body.runs.map(({ name, status, outputs }) => ({ name, status, outputs }));
}

function rowsOf(question: string): readonly Listed[] {
  const answer = { status: "success", outputs: { outputs: `answer to ${question}` } };
  return [
    { name: `chain ${question}`, ...answer },
    { name: `model ${question}`, ...answer },
  ];
}

describe("the npm client langsmith, unmodified, within the limits of §8.5", () => {
  test("loses no run and repeats none when its multipart request is refused", async () => {
    await begin({ runs_multipart: `1 / ${WINDOW_SECONDS}` });
    await traceOne("one");
    await client.awaitPendingTraceBatches();
    expect(await refusalsOf("/runs/multipart")).toBe(0);

    await traceOne("two");
    const sending = client.awaitPendingTraceBatches();
    await untilRefused("/runs/multipart");
    expect(new Set(await storeRows())).toEqual(new Set(rowsOf("one")));
    await rig.emulator.clock.advance(`PT${WINDOW_SECONDS}S`);
    await sending;

    const rows = await storeRows();
    expect(rows).toHaveLength(4);
    expect(rows).toEqual(expect.arrayContaining([...rowsOf("one"), ...rowsOf("two")]));
    expect(await refusalsOf("/runs/multipart")).toBe(1);
  });

  test("lists every run once when a page between is refused", async () => {
    await begin({ runs_query_key: `2 / ${WINDOW_SECONDS}` });
    const names = Array.from({ length: 250 }, (_, index) => `run ${index}`);
    const post = names.map((name, index) => ({
      id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      name,
      run_type: "chain",
      start_time: Date.UTC(2026, 0, 1) + index * 1000,
      session_name: PROJECT,
    }));
    expect((await rig.call("POST", "/runs/batch", { post })).status).toBe(202);

    const reopened = untilRefused("/runs/query").then(() =>
      rig.emulator.clock.advance(`PT${WINDOW_SECONDS}S`),
    );
    const list: string[] = [];
    for await (const { name } of client.listRuns({ projectName: PROJECT })) list.push(name);
    await reopened;
    expect(list).toEqual(names.reverse());
    expect(await refusalsOf("/runs/query")).toBe(1);
  });
});
