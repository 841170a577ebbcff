import { expect, it } from "vitest";
import { createConcurrencyLimit } from "../../../emulator/subjects/webhooks/effects/concurrency-limit.ts";

/** Takes places and notes in which order they were given. */
function concurrencyLimit(perReceiver: number, inTotal: number) {
  const acquire = createConcurrencyLimit(perReceiver, inTotal);
  const acquired: string[] = [];
  const release = new Map<string, () => void>();
  return {
    acquired,
    async take(...names: string[]) {
      for (const name of names)
        void acquire(name.charAt(0)).then((back) => {
          acquired.push(name);
          release.set(name, back);
        });
      await Promise.resolve();
    },
    async leave(name: string) {
      release.get(name)?.();
      await Promise.resolve();
    },
  };
}

it("one receiver gets at most its share, and others overtake its waiting posts", async () => {
  const { take, leave, acquired } = concurrencyLimit(2, 10);
  await take("a1", "a2", "a3", "a4", "b1");
  expect(acquired).toEqual(["a1", "a2", "b1"]);
  await leave("a1");
  expect(acquired).toEqual(["a1", "a2", "b1", "a3"]);
  await leave("a2");
  expect(acquired.at(-1)).toBe("a4");
});

it("all receivers together get at most all slots", async () => {
  const { take, leave, acquired } = concurrencyLimit(2, 3);
  await take("a1", "b1", "c1", "d1", "e1");
  expect(acquired).toEqual(["a1", "b1", "c1"]);
  await leave("b1");
  expect(acquired).toEqual(["a1", "b1", "c1", "d1"]);
});
