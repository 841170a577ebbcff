import fc from "fast-check";
import { expect, test } from "vitest";
import { type Crash, type Forest, openForest } from "./forest.ts";

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

async function take(forest: Forest, { act, at, bucket, key, crash }: Step, body: string): Promise<void> {
  const partNumber = KEYS.indexOf(key);
  if (act === "put") forest.put(at, bucket, key, body, crash);
  else if (act === "refuse") forest.refuse(at, bucket, key, body);
  else if (act === "remove") forest.remove(at, bucket, key, crash);
  else if (act === "bucket") await forest.removeBucket(at, bucket, crash);
  else if (act === "part") forest.putPart(at, `upload-${bucket}`, partNumber, body, crash);
  else if (act === "upload") forest.removeUpload(at, `upload-${bucket}`, crash);
  else if (act === "restart") forest.restart();
  else if (act === "reset") forest.reset(at);
  else if (act === "end") forest.end(at);
  else if (forest.trees.length < 8) forest.fork(at);
}

test("a fork reads what its parent held at the fork, whatever either side does and wherever it crashes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const forest = openForest();
      try {
        for (const [n, each] of steps.entries()) {
          await take(forest, each, `body ${n}`);
          expect(forest.read()).toEqual(forest.expected());
        }
      } finally {
        forest.clear();
      }
    }),
    { numRuns: 120 },
  );
});
