import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { casesOf } from "../support/depth.ts";
import { startRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";
import { dottedOrder, traceRow } from "../support/trace-row.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig({ seed: 5 }));

const uuid = (n: number) => `0a000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const numbers = fc.uniqueArray(fc.nat(4), { maxLength: 3 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ post: numbers, patch: numbers, day: fc.constantFrom("26", "27") }) },
  {
    weight: 1,
    arbitrary: fc.record({
      key: fc.constantFrom("a", "b"),
      bytes: fc.option(fc.integer({ min: 1, max: 50 })),
    }),
  },
);
type Change = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Clients of the object store: one that writes, and one that reads as of `turn`. */
function openStores() {
  const [live, past] = [objectStore(rig.emulator.s3Url), objectStore(rig.emulator.s3Url)];
  onTestFinished(() => [live, past].forEach((each) => void each.destroy()));
  const stores = { live, past, turn: 0 };
  past.middlewareStack.add(
    (next) => (body) => {
      (body.request as { headers: Record<string, string> }).headers["x-emulator-as-of"] = String(stores.turn);
      return next(body);
    },
    { step: "build" },
  );
  return stores;
}

async function apply(change: Change, { live }: ReturnType<typeof openStores>): Promise<void> {
  if ("key" in change) {
    const object = { Bucket: "traces", Key: change.key };
    const { bytes } = change;
    if (bytes === null) await live.send(new DeleteObjectCommand(object));
    else await live.send(new PutObjectCommand({ ...object, Body: "x".repeat(bytes) }));
    return;
  }
  const start_time = `2026-02-${change.day}T00:00:00Z`;
  const { status } = await rig.call("POST", "/runs/batch", {
    post: change.post.map((n) => ({ ...traceRow(uuid(n), `row ${n}`), start_time })),
    patch: change.patch.map((n) => ({
      id: uuid(n),
      trace_id: uuid(n),
      dotted_order: dottedOrder(uuid(n)),
      start_time,
      outputs: { changed: true },
    })),
  });
  expect(status).toBe(202);
}

it("the status as of an earlier turn is the status of that turn: rows, bytes and objects", async () => {
  const stores = openStores();
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (changes) => {
    await rig.emulator.control("POST", "/reset", {});
    const list = async (from: "live" | "past") =>
      (await stores[from].send(new ListObjectsV2Command({ Bucket: "traces" }))).Contents?.map(
        ({ Key, Size }) => [Key, Size],
      );
    const statusOf = async (asOf: string) => {
      const { turn, traces } = await rig.emulator.control<{
        turn: number;
        traces: { rows: number; bytes: number };
      }>("GET", `/status${asOf}`);
      return { turn, traces };
    };
    const events = [];
    for (const change of changes) {
      await apply(change, stores);
      events.push({ ...(await statusOf("")), objects: await list("live") });
    }
    for (const then of events) {
      stores.turn = then.turn;
      const asOf = { ...(await statusOf(`?as_of=${then.turn}`)), objects: await list("past") };
      expect(asOf).toEqual(then);
    }
  });
  await fc.assert(property, { numRuns: casesOf(200) });
});
