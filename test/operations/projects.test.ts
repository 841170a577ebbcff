import { expect, test } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";
import { uuid } from "./multipart.ts";

interface Project {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly name: string;
}

const rig = useRig("test", () => startRig());

const DATASET = uuid(900);
const START = "2026-02-20T00:00:00.000Z";

/** A trace of a root row and a model call, which took this many seconds. */
function trace(number: number, { session_name = "shop", seconds = 1, error = "" } = {}) {
  const times = { start_time: START, end_time: new Date(Date.parse(START) + seconds * 1_000).toISOString() };
  const trace_id = uuid(number);
  const usage_metadata = { input_tokens: 3, output_tokens: 4, total_tokens: 7, total_cost: 0.5 };
  return [
    {
      id: trace_id,
      trace_id,
      name: "root",
      run_type: "chain",
      session_name,
      ...times,
      ...(error && { error }),
    },
    {
      ...{ id: uuid(number + 500), trace_id, parent_run_id: trace_id, name: "call", run_type: "llm" },
      ...{ session_name, ...times, outputs: { usage_metadata } },
    },
  ];
}

async function projects(query: string): Promise<readonly Project[]> {
  const reply = await rig.call<Project[]>("GET", `/sessions?${query}`);
  expect([reply.status, reply.body]).toEqual([200, expect.any(Array)]);
  return reply.body;
}

async function create(body: object): Promise<Project> {
  return (await rig.call<Project>("POST", "/sessions", body)).body;
}

test("show the figures of their root rows on request, each its own", async () => {
  const post = [
    ...trace(1, { seconds: 2 }),
    ...trace(2, { seconds: 4, error: "broken" }),
    ...trace(3, { session_name: "other" }),
  ];
  await rig.call("POST", "/runs/batch", { post });
  await create({ name: "empty" });
  const [shop, other, empty] = await projects("include_stats=True");
  expect(shop).toMatchObject({
    ...{ name: "shop", run_count: 2, total_tokens: 14, prompt_tokens: 6, completion_tokens: 8 },
    ...{ total_cost: "1", error_rate: 0.5, latency_p50: 2, latency_p99: 4 },
    last_run_start_time: "2026-02-20T00:00:00.000000Z",
  });
  expect(other).toMatchObject({ name: "other", run_count: 1, total_tokens: 7, error_rate: 0 });
  expect(empty).toMatchObject({ name: "empty", run_count: 0, error_rate: null });
  const one = await rig.call("GET", `/sessions/${shop?.id}?include_stats=true`);
  expect(one.body).toEqual(shop);
  expect(await projects("name=nothing&include_stats=true")).toEqual([]);
  for (const query of ["", "include_stats=false", "include_stats=False"])
    expect((await projects(query))[0]).not.toHaveProperty("run_count");
});

test("have the dataset of their creation, or null", async () => {
  const plain = await create({ name: "plain" });
  const experiment = await create({ name: "experiment", reference_dataset_id: DATASET });
  expect([plain.reference_dataset_id, experiment.reference_dataset_id]).toEqual([null, DATASET]);
  const names = async (query: string) => (await projects(query)).map(({ name }) => name);
  expect(await names("reference_free=true")).toEqual(["plain"]);
  expect(await names("reference_free=false")).toEqual(["experiment"]);
  expect(await names(`reference_dataset=${DATASET.toUpperCase()}`)).toEqual(["experiment"]);
  expect(await names(`reference_dataset=${uuid(1)}`)).toEqual([]);
});

test("are found by their metadata", async () => {
  await create({ name: "one", extra: { metadata: { team: "a", level: 1 } } });
  await create({ name: "none" });
  const search = async (metadata: unknown) =>
    (await projects(`metadata=${encodeURIComponent(JSON.stringify(metadata))}`)).map(({ name }) => name);
  expect(await search({ team: "a" })).toEqual(["one"]);
  expect(await search({ team: "a", level: 2 })).toEqual([]);
  expect((await rig.call("GET", "/sessions?metadata=%5B%5D")).status).toBe(422);
});
