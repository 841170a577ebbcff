import { PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { createExport, prepareExport, runToCompletion, startRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";
import { useRig } from "../support/use-rig.ts";

interface Turn {
  readonly turn: number;
  readonly cause: { readonly type: string; readonly name: string };
  readonly because?: { readonly kind: string; readonly of_turn: number | null };
}

interface Causes {
  readonly found: string;
  readonly chain: readonly Turn[];
  readonly complete: boolean;
  readonly effects?: readonly Turn[];
  readonly effects_total?: number;
}

const rig = useRig("test", () => startRig({ seed: 3 }));

function why(id: string, query = ""): Promise<Causes> {
  return rig.emulator.control("GET", `/why/${encodeURIComponent(id)}${query}`);
}

const names = ({ chain }: Causes) => chain.map(({ cause }) => cause.name);

it("an export leads back over its steps to the request that created it", async () => {
  const prepared = await prepareExport(rig);
  const { body: bulkExport } = await createExport(rig, prepared);
  await runToCompletion(rig, bulkExport.id);
  const causes = await why(bulkExport.id);
  expect(causes).toMatchObject({ found: `bulk_exports/${bulkExport.id}`, complete: true });
  expect(causes.chain[0]?.cause.type).not.toBe("request");
  expect(causes.chain.at(-1)?.cause).toMatchObject({ type: "request", name: "createBulkExport" });
  for (const [at, { because }] of causes.chain.entries())
    expect(because?.of_turn).toBe(causes.chain[at + 1]?.turn);
});

it("a run, its file and its delivery have the same origin", async () => {
  const prepared = await prepareExport(rig);
  const { body: bulkExport } = await createExport(rig, prepared);
  await runToCompletion(rig, bulkExport.id);
  const runs = await rig.call<{ id: string }[]>("GET", `/api/v1/bulk-exports/${bulkExport.id}/runs`);
  const run = await why(runs.body[0]?.id ?? "");
  expect(run.complete).toBe(true);
  expect(names(run).at(-1)).toBe("createBulkExport");
  const { objects } = await rig.emulator.control<{ objects: { key: string }[] }>(
    "GET",
    "/s3/buckets/traces/objects",
  );
  const key = objects.find((each) => each.key.endsWith(".parquet"))?.key ?? "";
  const file = await why(`traces/${key}`);
  expect(file.found).toBe(`objects/traces/${key}`);
  expect(names(file).at(-1)).toBe("createBulkExport");
});

it("what a request led to is listed forwards, and nothing else is", async () => {
  const { body: other } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
  const webhook = "/_emulator/inbox/box";
  const { body: run } = await rig.call<{ run_id: string }>("POST", "/runs", {
    assistant_id: "echo",
    webhook,
  });
  await rig.emulator.clock.advance("PT1H");
  const { effects = [], effects_total } = await why(run.run_id, "?effects=1");
  expect(effects.length).toBe(effects_total);
  expect(effects.map(({ cause }) => cause.name)).toContain("webhook.post");
  expect(effects.every(({ because }) => because !== undefined)).toBe(true);
  expect(await why(other.thread_id, "?effects=1")).toMatchObject({ effects: [], effects_total: 0 });
  const [delivery] = await rig.emulator.control<{ id: string }[]>("GET", "/webhooks/deliveries");
  expect(names(await why(delivery?.id ?? "")).at(-1)).toBe("createStatelessRun");
});

it("a trace row leads to the turn that wrote its present version, also in a read of history", async () => {
  const id = "00000000-0000-4000-8000-000000000007";
  const start_time = "2026-02-01T00:00:00Z";
  const post = [{ id, trace_id: id, name: "n", run_type: "chain", start_time, session_name: "p" }];
  await rig.call("POST", "/runs/batch", { post });
  const written = await why(id);
  expect(written).toMatchObject({ found: `rows/${id}`, complete: true });
  await rig.call("POST", "/threads", {});
  await rig.call("PATCH", `/runs/${id}`, { end_time: "2026-02-01T00:00:01Z" });
  const changed = await why(id);
  expect(changed.chain[0]?.turn).toBeGreaterThan(written.chain[0]?.turn ?? Number.NaN);
  expect((await why(id, `?as_of=${written.chain[0]?.turn}`)).chain).toEqual(written.chain);
});

it("an uploaded object leads to its request; unknown objects are refused", async () => {
  const store = objectStore(rig.emulator.s3Url);
  await store.send(new PutObjectCommand({ Bucket: "traces", Key: "a/b.txt", Body: "x" }));
  store.destroy();
  expect((await why("traces/a/b.txt")).chain).toMatchObject([{ cause: { name: "PutObject" } }]);
  await expect(why("00000000-0000-4000-8000-00000000dead")).rejects.toThrow("does not occur in the history");
});

it("the value of a field leads to the turn that wrote it last, in a record, a row and history", async () => {
  const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", {
    metadata: { a: 1, b: 1 },
  });
  const path = `/threads/${thread.thread_id}`;
  await rig.call("PATCH", path, { metadata: { a: 2 } });
  const turn = (await rig.emulator.control<{ turn: number }>("GET", "/status")).turn;
  await rig.call("PATCH", path, { metadata: { b: 2 } });
  const turnOf = async (id: string, field: string, more = "") =>
    (await why(id, `?field=${field}${more}`)).chain[0]?.turn ?? 0;
  expect(await turnOf(thread.thread_id, "metadata.a")).toBe(turn);
  expect(await turnOf(thread.thread_id, "metadata.b")).toBe(turn + 1);
  expect(await turnOf(thread.thread_id, "metadata.b", `&as_of=${turn}`)).toBe(turn - 1);

  const id = "00000000-0000-4000-8000-000000000009";
  const start_time = "2026-02-01T00:00:00Z";
  const post = [{ id, trace_id: id, name: "n", run_type: "chain", start_time, session_name: "p" }];
  await rig.call("POST", "/runs/batch", { post });
  await rig.call("PATCH", `/runs/${id}`, { outputs: { a: 1 } });
  await rig.call("PATCH", `/runs/${id}`, { error: "no" });
  expect(await turnOf(id, "outputs")).toBe((await turnOf(id, "name")) + 1);
  expect(await turnOf(id, "error")).toBe((await turnOf(id, "outputs")) + 1);

  await expect(why(id, "?field=colour")).rejects.toThrow(`rows/${id} has no field "colour"`);
  await expect(why(thread.thread_id, "?field=metadata.c")).rejects.toThrow("has no field");
});
