import { expect, test } from "vitest";
import { IdIndex } from "../../../../emulator/storage/rows/id-index.ts";
import { createRecordWriter, RECORD_BYTES } from "../../../../emulator/storage/rows/sidecar.ts";
import { idOf } from "../../../storage/rows/open-store.ts";

const COUNT = 200_000;

function set(index: IdIndex, id: string, segment: number, position: number): void {
  index.find(id);
  index.put(segment, position);
}

test("two hundred thousand ids are found where they were put last, and no others", () => {
  const index = new IdIndex();
  for (let n = 0; n < COUNT; n += 1) set(index, idOf(n), n % 1000, n);
  for (let n = 0; n < COUNT; n += 7) set(index, idOf(n), 4_000_000_000, n + 1);
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
  const index = new IdIndex();
  const id = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
  for (let n = 0; n < 50_000; n += 1) set(index, id(n), 0, n);
  expect(index.positionOf(index.find(id(49_999)))).toBe(49_999);
});

test("the id of a sidecar record is the id in text", () => {
  const index = new IdIndex();
  const record = { id: idOf(5), start: 0, offset: 0, length: 1, previous: -1, trace: 0, sequence: 0 };
  const writer = createRecordWriter();
  writer.add(record);
  writer.add({ ...record, id: idOf(6) });
  const { bytes } = writer;
  index.findBytes(bytes, RECORD_BYTES);
  index.put(3, 4);
  expect(index.find(idOf(5))).toBe(-1);
  expect(index.find(idOf(6))).toBe(index.findBytes(bytes, RECORD_BYTES));
  expect(index.segmentOf(index.find(idOf(6)))).toBe(3);
});

test("copies go their own ways from where they were made, however often and whoever is changed", () => {
  const all = [{ index: new IdIndex(), model: new Map<number, number>() }];
  const put = (at: number, n: number, position: number): void => {
    const each = all[at % all.length] as (typeof all)[number];
    set(each.index, idOf(n), at, position);
    each.model.set(n, position);
  };
  for (let n = 0; n < 16_300; n += 1) put(0, n, n);
  for (let round = 0; round < 4; round += 1) {
    const { index, model } = all[round >> 1] as (typeof all)[number];
    all.push({ index: index.copy(), model: new Map(model) });
    // Beyond the end of a chunk: the same new ids in another order, others of their own, and old ones in all chunks.
    for (const at of all.keys()) {
      for (let n = 0; n < 300; n += 1)
        put(at, 20_000 + round * 300 + ((n * (2 * at + 1)) % 300), at * 1000 + n);
      for (let n = 0; n < 50; n += 1) put(at, 30_000 + round * 1000 + at * 100 + n, n);
      for (let n = at; n < 16_300; n += 4001) put(at, n, 50_000 + round * 10 + at);
    }
  }
  for (const { index, model } of all) {
    let wrong = 0;
    for (let n = 0; n < 35_000; n += 1) {
      const entry = index.find(idOf(n));
      if ((entry < 0 ? undefined : index.positionOf(entry)) !== model.get(n)) wrong += 1;
    }
    expect([wrong, index.size]).toStrictEqual([0, model.size]);
  }
});
