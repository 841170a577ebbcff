import { expect, it } from "vitest";
import { createSharedMap, unsharedValues } from "../../emulator/kernel/shared-map.ts";

it("compares a copy of a large map at the cost of its changes", () => {
  const map = createSharedMap<number>();
  for (let n = 0; n < 50_000; n += 1) map.set(`key ${n}`, n);
  const copy = map.copy();
  copy.set("key 7", -7);
  copy.set("new", 1);
  copy.delete("key 9");
  map.set("own", 2);
  const visited = [...unsharedValues(map, copy)];
  const differing = visited.filter((pair) => pair && pair.before !== pair.after);
  expect(differing.map((pair) => [pair?.key, pair?.before, pair?.after]).sort()).toEqual([
    ["key 7", 7, -7],
    ["key 9", 9, undefined],
    ["new", undefined, 1],
    ["own", 2, undefined],
  ]);
  expect(visited.length).toBeLessThan(200);
});

it("compares maps that share nothing, and a copy that has grown", () => {
  const [map, other] = [createSharedMap<number>(), createSharedMap<number>()];
  for (let n = 0; n < 20; n += 1) for (const each of [map, other]) each.set(`key ${n}`, n);
  const copy = map.copy();
  for (let n = 20; n < 200; n += 1) copy.set(`key ${n}`, n);
  for (const [a, b, count] of [
    [map, other, 0],
    [map, copy, 180],
    [copy, map, 180],
  ] as const) {
    const differing = [...unsharedValues(a, b)].filter((pair) => pair && pair.before !== pair.after);
    expect(new Set(differing.map((pair) => pair?.key)).size).toBe(count);
    expect(differing).toHaveLength(count);
  }
});
