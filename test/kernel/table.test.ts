import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collection, createTable, type Table } from "../../emulator/kernel/table.ts";

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
  ])("%j of ten is %j", (expectation, expected) => {
    expect(ids(filled(10).page({ group: "a", ...expectation }))).toBe(expected);
  });

  it("keep the order of first puts when records change label, are restored or move", () => {
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

  it("of a label are refused for a collection without labels", () => {
    const table = createTable(collection<Ball>("plain", (ball) => ball.id));
    table.put({ id: "1", box: "a", colour: "red" });
    expect(table.page({ group: "", offset: 0, limit: 1 })).toHaveLength(1);
    expect(() => table.page({ group: "", label: "red", offset: 0, limit: 1 })).toThrow(/no labels/);
  });
});

/** What a table should hold, in the plainest way there is. */
type Model = Map<string, Ball>;

function agrees(table: Table<Ball>, model: Model): void {
  const balls = [...model.values()];
  expect([...table.list()]).toEqual(balls);
  // Without a group it counts the records of all groups.
  expect([table.size, table.count()]).toEqual([balls.length, balls.length]);
  for (const box of ["a", "b"]) {
    const inBox = balls.filter((ball) => ball.box === box);
    expect([...table.list(box)]).toEqual(inBox);
    for (const colour of ["red", "blue"]) {
      const alike = inBox.filter((ball) => ball.colour === colour);
      expect(table.page({ group: box, label: colour, offset: 1, limit: 300 })).toEqual(alike.slice(1, 301));
      expect(table.count(box, colour)).toBe(alike.length);
    }
  }
}

const step = fc.record({
  who: fc.nat(5),
  act: fc.constantFrom("put", "put", "put", "put", "remove", "copy"),
  id: fc.nat(12).map(String),
  box: fc.constantFrom("a", "b"),
  colour: fc.constantFrom("red", "blue"),
});

describe("copies of a table", () => {
  it("are equal at first and independent afterwards", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(1200), (steps, count) => {
        const first = filled(count);
        const all = [{ table: first, model: new Map([...first.list()].map((ball) => [ball.id, ball])) }];
        for (const { who, act, id, box, colour } of steps) {
          const { table, model } = all[who % all.length] as (typeof all)[number];
          if (act === "copy") all.push({ table: table.copy(), model: new Map(model) });
          else if (act === "remove") {
            table.remove(id);
            model.delete(id);
          } else {
            table.put({ id, box, colour });
            model.set(id, { id, box, colour });
          }
        }
        for (const { table, model } of all) agrees(table, model);
      }),
      { numRuns: 4 },
    );
  });

  it("share their records instead of copying them", () => {
    let count = 0;
    const counted = collection<Ball>(
      "balls",
      (ball) => ball.id,
      (ball) => {
        count += 1;
        return ball.box;
      },
    );
    const table = createTable(counted);
    for (let n = 0; n < 5000; n += 1) table.put({ id: String(n), box: "a", colour: "red" });
    count = 0;
    const copy = table.copy();
    expect(count).toBe(0);
    expect(copy.size).toBe(5000);
  });
});

describe("a walk through a table", () => {
  it("skips records removed or moved meanwhile and includes new ones", () => {
    const table = filled(4);
    const events: string[] = [];
    for (const { id } of table.list("a")) {
      events.push(id);
      if (id === "0") {
        table.remove("1");
        table.put({ id: "2", box: "b", colour: "red" });
        table.put({ id: "9", box: "a", colour: "red" });
      }
    }
    expect(events.join(" ")).toBe("0 3 9");
  });
});

it("a record that is put after a restored one in an emptied table follows it", () => {
  const table = createTable(BALLS);
  for (const id of ["a", "b"]) table.put({ id, box: "box", colour: "red" });
  const rows = ["a", "b"].map((id) => ({ id, row: table.remove(id) }));
  const emptied = createTable(BALLS);
  for (const { id, row } of rows.toReversed()) emptied.restore(id, row);
  emptied.put({ id: "c", box: "box", colour: "red" });
  expect(ids([...emptied.list()])).toBe("a b c");
  expect(emptied.count("box")).toBe(3);
});
