import { describe, expect, it } from "vitest";
import { collection, createTable } from "../../emulator/kernel/table.ts";

interface Ball {
  readonly id: string;
  readonly box: string;
  readonly colour: string;
}

const BALLS = collection<Ball>(
  "balls",
  (ball) => ball.id,
  (ball) => ball.box,
  (ball) => ball.colour,
);

function filled(count: number) {
  const table = createTable(BALLS);
  for (let n = 0; n < count; n += 1)
    table.put({ id: String(n), box: "a", colour: n % 2 === 0 ? "red" : "blue" });
  return table;
}

const ids = (balls: readonly Ball[]) => balls.map(({ id }) => id).join(" ");

describe("pages of a group", () => {
  it.each([
    [{ offset: 0, limit: 3 }, "0 1 2"],
    [{ offset: 8, limit: 3 }, "8 9"],
    [{ offset: 10, limit: 3 }, ""],
    [{ offset: 0, limit: 3, newestFirst: true }, "9 8 7"],
    [{ offset: 8, limit: 3, newestFirst: true }, "1 0"],
    [{ offset: 9_000_000_000, limit: 3, newestFirst: true }, ""],
    [{ offset: 1, limit: 2, label: "red" }, "2 4"],
    [{ offset: 1, limit: 2, label: "red", newestFirst: true }, "6 4"],
    [{ offset: 0, limit: 2, label: "green" }, ""],
    [{ offset: 0, limit: Number.MAX_SAFE_INTEGER, label: "blue" }, "1 3 5 7 9"],
  ])("%j of ten is %j", (wanted, expected) => {
    expect(ids(filled(10).page({ group: "a", ...wanted }))).toBe(expected);
  });

  it("keep the order of first puts when records change label, come back or move", () => {
    const table = filled(6);
    table.put({ id: "4", box: "a", colour: "blue" });
    table.put({ id: "0", box: "a", colour: "blue" });
    expect(ids(table.page({ group: "a", label: "blue", offset: 0, limit: 9 }))).toBe("0 1 3 4 5");
    table.remove("1");
    table.put({ id: "1", box: "a", colour: "blue" });
    table.put({ id: "3", box: "b", colour: "blue" });
    expect(ids(table.page({ group: "a", offset: 0, limit: 9 }))).toBe("0 2 4 5 1");
    expect(ids(table.page({ group: "b", offset: 0, limit: 9 }))).toBe("3");
    expect([
      table.count("a"),
      table.count("a", "blue"),
      table.count("a", "red"),
      table.count("c", "red"),
    ]).toEqual([5, 4, 1, 0]);
  });

  it("are refused for a collection without labels", () => {
    const table = createTable(collection<Ball>("plain", (ball) => ball.id));
    expect(() => table.page({ offset: 0, limit: 1 })).toThrow(/no labels/);
  });
});
