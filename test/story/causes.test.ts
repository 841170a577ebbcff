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
  const { body: made } = await createExport(rig, prepared);
  await runToCompletion(rig, made.id);
  const found = await why(made.id);
  expect(found).toMatchObject({ found: `bulk_exports/${made.id}`, complete: true });
  expect(found.chain[0]?.cause.type).not.toBe("request");
  expect(found.chain.at(-1)?.cause).toMatchObject({ type: "request", name: "createBulkExport" });
  for (const [at, { because }] of found.chain.entries())
    expect(because?.of_turn).toBe(found.chain[at + 1]?.turn);
});

it("a run, its file and its delivery have the same origin", async () => {
  const prepared = await prepareExport(rig);
  const { body: made } = await createExport(rig, prepared);
  await runToCompletion(rig, made.id);
  const runs = await rig.call<{ id: string }[]>("GET", `/api/v1/bulk-exports/${made.id}/runs`);
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
  const { body: asked } = await rig.call<{ run_id: string }>("POST", "/runs", {
    assistant_id: "echo",
    webhook,
  });
  await rig.emulator.clock.advance("PT1H");
  const { effects = [], effects_total } = await why(asked.run_id, "?effects=1");
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
