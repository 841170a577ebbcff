import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  idOf,
  instant,
  openTraceStore,
  SCOPE,
  sampleRow,
  temporaryFolder,
} from "../../storage/rows/open-store.ts";
import { usageOf } from "../../support/process-usage.ts";

const DAYS = 20;
const FORKS = 80;

/** Rows of many days, the same number whatever n is. */
const rowsOf = (n: number) =>
  Array.from({ length: DAYS }, (_, day) =>
    sampleRow(day, {
      total_tokens: n,
      start_time: instant(day, `2025-03-${String(day + 1).padStart(2, "0")}`),
    }),
  );

/** Each world is a fork of the previous one, which is then removed. */
async function chainIn(folder: string) {
  let store = openTraceStore({ folder });
  let name = "main";
  store.write(SCOPE, rowsOf(0));
  for (let n = 1; n <= FORKS; n += 1) {
    const next = store.fork();
    next.write(SCOPE, rowsOf(n).slice(0, 2));
    if (name !== "main") {
      const { manifests, storage } = store;
      manifests.putWorld(name, null, () => storage.end());
      await storage.close(undefined);
    }
    name = `${name}-1`;
    store = next;
  }
  return store;
}

/** A snapshot has the files of its source, a journal, and two files of rows for a day. */
const FILES_OF_SNAPSHOT = 3;

test.each([1, 7, DAYS])(
  "a snapshot that is saved and loaded repeatedly leaves at most three times the live files: rows of %i days",
  async (days) => {
    const folder = temporaryFolder();
    const single = openTraceStore({ folder: temporaryFolder() });
    let store = openTraceStore({ folder });
    const first = Array.from({ length: 12 }, (_, n) => rowsOf(n).slice(0, days)).flat();
    for (const each of [single, store]) each.write(SCOPE, first);
    for (let n = 1; n <= 2 * FORKS; n += 1) {
      const rows = [n, n + 1].map((nth) => rowsOf(n)[nth % days] as ReturnType<typeof sampleRow>);
      for (const each of [single, store]) each.write(SCOPE, rows);
      store = await store.saveAndLoad("kept");
      const [{ files }, lives] = [usageOf(join(folder, "pool")), usageOf(single.pool.root)];

      expect(files).toBeLessThanOrEqual(3 * (lives.files + FILES_OF_SNAPSHOT));
    }
    await store.pool.settle();
    const [{ bytes }, lives] = [usageOf(folder), usageOf(single.pool.root)];
    expect(bytes).toBeLessThanOrEqual(3 * lives.bytes);
    for (const each of [store, store.reopen()])
      for (let n = 0; n < days; n += 1)
        expect(each.read(SCOPE, idOf(n))?.total_tokens).toBe(single.read(SCOPE, idOf(n))?.total_tokens);
  },
);

test("a chain of forks, each removed after the next is created, has the files of one world", async () => {
  const [plain, folder] = [temporaryFolder(), temporaryFolder()];
  const single = openTraceStore({ folder: plain });
  for (let n = 0; n <= FORKS; n += 1) single.write(SCOPE, rowsOf(n).slice(0, n === 0 ? DAYS : 2));
  const last = await chainIn(folder);
  // The world main lives as well.
  const [lives, most] = [usageOf(plain), 2 * 3];
  await vi.waitFor(() => {
    const { files, bytes } = usageOf(folder);
    expect(files).toBeLessThan(most * lives.files);
    expect(bytes).toBeLessThan(most * lives.bytes);
  }, 120_000);
  for (const each of [last, last.reopen()]) {
    expect(each.read(SCOPE, idOf(1))?.total_tokens).toBe(FORKS);
    expect(each.read(SCOPE, idOf(DAYS - 1))?.total_tokens).toBe(0);
  }
});
