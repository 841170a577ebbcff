import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import { RECORD_BYTES } from "../../../emulator/storage/rows/sidecar.ts";
import {
  DAY,
  idOf,
  openTraceStore,
  readAll,
  SCOPE,
  SESSION,
  sampleRow,
  temporaryFolder,
  wholeDay,
} from "./open-store.ts";

const TAIL = join("rows", SCOPE.region, SCOPE.tenantId, SESSION, DAY);

/** Three turns of one row each, the last of which replaces the first row. */
function written(): { readonly folder: string; readonly tail: string; readonly journal: string } {
  const folder = temporaryFolder();
  const store = openTraceStore({ folder });
  for (const [n, status] of [
    [1, "a"],
    [2, "b"],
    [1, "c"],
  ] as const)
    store.write(SCOPE, [sampleRow(n, { status })]);
  return {
    folder,
    tail: join(folder, "pool/1", TAIL),
    journal: join(folder, "pool/1/journal-000001.ndjson"),
  };
}

describe("a store whose process was ended in a write", () => {
  test("counts of its tails what the last whole line of the journal says, wherever that was cut", () => {
    const { folder, journal } = written();
    const text = readFileSync(journal, "utf8").trimEnd().concat("\n");
    const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
    const lengths = Array.from({ length: text.length + 1 }, (_, length) => length).slice(ends[0]);
    const atEnds = ends.flatMap((end) => [end - 1, end]).slice(1);
    for (const length of new Set([...atEnds, ...lengths.filter((length) => length % 31 === 0)])) {
      const copy = temporaryFolder();
      cpSync(folder, copy, { recursive: true });
      writeFileSync(join(copy, "pool/1/journal-000001.ndjson"), `${text.slice(0, length)}\t`);
      // The process was killed before it wrote the end of these lines.
      rmSync(join(copy, "pool/1/journal-end"));
      const store = openTraceStore({ folder: copy });
      const turns = ends.filter((end) => end <= length).length;
      expect(store.mark()).toBe(turns);
      expect(store.read(SCOPE, idOf(1))?.status).toBe(turns === 3 ? "c" : "a");
      expect(store.read(SCOPE, idOf(2))?.status).toBe(turns < 2 ? undefined : "b");
      expect(readAll(store.location, wholeDay(turns))).toHaveLength(turns < 2 ? 1 : 2);
      // What was never committed is gone, so that the next turn does not continue it.
      expect(statSync(join(copy, "pool/1", `${TAIL}.index`)).size).toBe(turns * RECORD_BYTES);
      store.write(SCOPE, [sampleRow(3, { status: "d" })]);
      expect(store.reopen().read(SCOPE, idOf(3))?.status).toBe("d");
    }
  });

  test("drops what was appended without a line: rows, halves of rows, and zeros of a crashed file system", () => {
    for (const rest of ['{"id":"half a row', "x".repeat(5000)]) {
      const { folder, tail } = written();
      appendFileSync(`${tail}.ndjson`, rest);
      appendFileSync(`${tail}.index`, Buffer.alloc(3 * RECORD_BYTES + 5));
      const store = openTraceStore({ folder });
      expect(store.mark()).toBe(3);
      expect(store.read(SCOPE, idOf(1))?.status).toBe("c");
      expect(readFileSync(`${tail}.ndjson`, "utf8")).not.toContain(rest);
      expect(statSync(`${tail}.index`).size).toBe(3 * RECORD_BYTES);
    }
  });

  test("overwrites an unnamed tail of the same name", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    store.write(SCOPE, [sampleRow(1, { start_time: "2025-03-02T00:00:00.000000Z" })]);
    const tail = join(folder, "pool/1", TAIL);
    cpSync(join(folder, "pool/1", TAIL.replace(DAY, "2025-03-02.ndjson")), `${tail}.ndjson`);
    cpSync(join(folder, "pool/1", TAIL.replace(DAY, "2025-03-02.index")), `${tail}.index`);
    const again = store.reopen();
    again.write(SCOPE, [sampleRow(2)]);
    expect(readAll(again.reopen().location, wholeDay(2)).map(({ id }) => id)).toStrictEqual([idOf(2)]);
  });

  test.each([
    ["its first process", false],
    ["a process that resumed a closed world", true],
  ])(
    "in %s counts lost rows never, whatever other tenants write before they are looked at",
    async (_, closed) => {
      const { folder } = written();
      let store = openTraceStore({ folder });
      if (closed) {
        await store.storage.close({ ...emptyState(1, 0, { mode: "frozen", rate: 1 }), turn: 3 });
        store = openTraceStore({ folder });
      }
      store.storage.rows.write(SCOPE, [sampleRow(7), sampleRow(1, { status: "lost" })]);
      store.storage.rows.appendToFiles();
      store.storage.end();

      const next = openTraceStore({ folder });
      next.write(
        { ...SCOPE, tenantId: idOf(99) },
        [3, 4, 5].map((n) => sampleRow(n)),
      );
      const fork = next.fork();
      fork.write({ ...SCOPE, tenantId: idOf(99) }, [sampleRow(6)]);
      for (const each of [next.reopen(), fork.reopen(), next, fork]) {
        expect(each.read(SCOPE, idOf(7))).toBeUndefined();
        expect(each.read(SCOPE, idOf(1))?.status).toBe("c");
        expect(readAll(each.location, wholeDay(each.mark()))).toHaveLength(2);
      }
    },
  );

  test("with its machine, and lost rows that the journal counts, refuses to read and to write next to them", () => {
    const { folder, tail } = written();
    truncateSync(`${tail}.ndjson`, 10);
    const store = openTraceStore({ folder });
    const error = /2025-03-01\.ndjson is missing or ends before byte \d+/;
    expect(() => store.read(SCOPE, idOf(1))).toThrow(error);
    expect(() => store.write(SCOPE, [sampleRow(7)])).toThrow(error);
  });

  test("in the middle of the parent's next write changes nothing for a fork", () => {
    const { folder, tail } = written();
    const fork = openTraceStore({ folder }).fork();
    appendFileSync(`${tail}.ndjson`, '{"id":"half a row');
    appendFileSync(`${tail}.index`, Buffer.alloc(20));
    for (const each of [fork, fork.reopen()]) {
      expect(each.read(SCOPE, idOf(1))?.status).toBe("c");
      expect(readAll(each.location, wholeDay(3))).toHaveLength(2);
      each.write(SCOPE, [sampleRow(2, { status: "fork" })]);
    }
    expect(openTraceStore({ folder }).read(SCOPE, idOf(2))?.status).toBe("b");
  });
});

/** The checksum of a line is another in each file. */
const withoutSums = (lines: string) => lines.replaceAll(/,"sum":"[^"]+"/g, "");

test("a fork has files of its own for what it adds, and those of its parent stay as they are", () => {
  const { folder, tail } = written();
  const parent = openTraceStore({ folder });
  const fork = parent.fork();
  const before = readFileSync(`${tail}.ndjson`);
  fork.write(SCOPE, [sampleRow(5)]);
  expect(readFileSync(`${tail}.ndjson`)).toStrictEqual(before);
  const own = readFileSync(join(fork.key, `${TAIL}.ndjson`), "utf8");
  // What is small is copied.
  expect(withoutSums(own).startsWith(withoutSums(before.toString()))).toBe(true);
  expect(own.trimEnd().split("\n")).toHaveLength(before.toString().trimEnd().split("\n").length + 1);
  expect(readdirSync(fork.key).sort()).toStrictEqual(["journal-000001.ndjson", "journal-end", "rows"]);
});
