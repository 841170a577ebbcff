import { expect, test } from "vitest";
import { createIdIndex } from "../../../emulator/adapters/traces/id-index.ts";
import { packRecords, RECORD_BYTES } from "../../../emulator/adapters/traces/sidecar.ts";
import { idOf } from "./sample-row.ts";

const COUNT = 200_000;

test("two hundred thousand ids are found where they were put last, and no others", () => {
  const index = createIdIndex();
  for (let n = 0; n < COUNT; n += 1) index.put(idOf(n), n % 1000, n);
  for (let n = 0; n < COUNT; n += 7) index.put(idOf(n), 4_000_000_000, n + 1);
  let wrong = 0;
  for (let n = 0; n < COUNT; n += 1) {
    const entry = index.find(idOf(n));
    const [segment, position] = n % 7 === 0 ? [4_000_000_000, n + 1] : [n % 1000, n];
    if (index.segmentOf(entry) !== segment || index.positionOf(entry) !== position) wrong += 1;
  }
  for (let n = COUNT; n < 2 * COUNT; n += 1) if (index.find(idOf(n)) >= 0) wrong += 1;
  expect(wrong).toBe(0);
  expect(index.size).toBe(COUNT);
});

test("ids that come one after another do not pile up", () => {
  const index = createIdIndex();
  const id = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
  for (let n = 0; n < 50_000; n += 1) index.put(id(n), 0, n);
  expect(index.positionOf(index.find(id(49_999)))).toBe(49_999);
});

test("the id of a sidecar record is the id in text", () => {
  const index = createIdIndex();
  const record = { id: idOf(5), start: 0, offset: 0, length: 1, previous: -1, trace: 0, sequence: 0 };
  const bytes = packRecords([record, { ...record, id: idOf(6) }]);
  index.putBytes(bytes, RECORD_BYTES, 3, 4);
  expect(index.find(idOf(5))).toBe(-1);
  expect(index.find(idOf(6))).toBe(index.findBytes(bytes, RECORD_BYTES));
  expect(index.segmentOf(index.find(idOf(6)))).toBe(3);
});
