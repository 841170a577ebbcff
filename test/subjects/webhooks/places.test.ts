import { expect, it } from "vitest";
import { createPlaces } from "../../../emulator/subjects/webhooks/effects/places.ts";

/** Takes places and notes in which order they were given. */
function takers(perReceiver: number, inTotal: number) {
  const takePlace = createPlaces(perReceiver, inTotal);
  const given: string[] = [];
  const giveBack = new Map<string, () => void>();
  return {
    given,
    async take(...names: string[]) {
      for (const name of names)
        void takePlace(name.charAt(0)).then((back) => {
          given.push(name);
          giveBack.set(name, back);
        });
      await Promise.resolve();
    },
    async leave(name: string) {
      giveBack.get(name)?.();
      await Promise.resolve();
    },
  };
}

it("one receiver takes no more than its share, and others pass those that wait for it", async () => {
  const { take, leave, given } = takers(2, 10);
  await take("a1", "a2", "a3", "a4", "b1");
  expect(given).toEqual(["a1", "a2", "b1"]);
  await leave("a1");
  expect(given).toEqual(["a1", "a2", "b1", "a3"]);
  await leave("a2");
  expect(given.at(-1)).toBe("a4");
});

it("all of them together take no more than there are", async () => {
  const { take, leave, given } = takers(2, 3);
  await take("a1", "b1", "c1", "d1", "e1");
  expect(given).toEqual(["a1", "b1", "c1"]);
  await leave("b1");
  expect(given).toEqual(["a1", "b1", "c1", "d1"]);
});
