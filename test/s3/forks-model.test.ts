import fc from "fast-check";
import { expect, test } from "vitest";
import { type Crash, openWorldSet, type WorldSet } from "./world-set.ts";

const BUCKETS = ["one", "two"];
/** Friendly and hashed names, two of them alike but for their case. */
const KEYS = ["a.txt", "A.txt", "day=1/part.parquet", "Ü"];
const CRASHES: readonly (Crash | undefined)[] = [
  ...new Array<undefined>(6).fill(undefined),
  "after the records",
  "before the records",
];

const step = fc.record({
  act: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom("put", "put", "put", "remove", "remove", "part", "refuse") },
    { weight: 4, arbitrary: fc.constantFrom("fork", "fork", "fork", "bucket", "bucket", "upload") },
    { weight: 1, arbitrary: fc.constantFrom("restart", "reset", "end") },
  ),
  at: fc.nat(7),
  bucket: fc.constantFrom(...BUCKETS),
  key: fc.constantFrom(...KEYS),
  crash: fc.constantFrom(...CRASHES),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function applyStep(
  worldSet: WorldSet,
  { act, at, bucket, key, crash }: Step,
  body: string,
): Promise<void> {
  const partNumber = KEYS.indexOf(key);
  if (act === "put") worldSet.put(at, bucket, key, body, crash);
  else if (act === "refuse") worldSet.refuse(at, bucket, key, body);
  else if (act === "remove") worldSet.remove(at, bucket, key, crash);
  else if (act === "bucket") await worldSet.removeBucket(at, bucket, crash);
  else if (act === "part") worldSet.putPart(at, `upload-${bucket}`, partNumber, body, crash);
  else if (act === "upload") worldSet.removeUpload(at, `upload-${bucket}`, crash);
  else if (act === "restart") worldSet.restart();
  else if (act === "reset") worldSet.reset(at);
  else if (act === "end") worldSet.end(at);
  else if (worldSet.worlds.length < 8) worldSet.fork(at);
}

test("a fork reads what its parent held at the fork, whatever either side does and wherever it crashes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const worldSet = openWorldSet();
      try {
        for (const [n, each] of steps.entries()) {
          await applyStep(worldSet, each, `body ${n}`);
          expect(worldSet.read()).toEqual(worldSet.expected());
        }
      } finally {
        worldSet.clear();
      }
    }),
    { numRuns: 120 },
  );
});
