import { expect, it } from "vitest";
import { includesMembers } from "../../../emulator/subjects/agent/state.ts";

it("lists the members once, for any number of values", () => {
  let listings = 0;
  const members = new Proxy(
    { a: 1, b: { c: [2] } },
    {
      ownKeys(target) {
        listings += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const test = includesMembers(members);
  const values = [{ a: 1, b: { c: [2], d: 3 } }, { a: 1, b: {} }, { a: 1, b: null }, null, 1, []];
  expect(values.map(test)).toEqual([true, false, false, false, false, false]);
  expect(listings).toBe(1);
});
