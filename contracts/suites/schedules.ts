import { suite } from "../engine/case.ts";
import { equal, sameItems } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR } from "../engine/instant.ts";
import {
  DESTINATIONS,
  exportOf,
  filesOf,
  ingest,
  inStatus,
  prepare,
  readAll,
  row,
  runExport,
  until,
} from "./export-helpers.ts";
import { SCHEDULES, schedule, spawnedBy } from "./lifecycle.ts";

/** What a schedule is given, each unlike its default. */
const SCHEDULE_FIELDS = {
  filter: 'eq(name, "kept")',
  export_fields: ["id", "name", "tags", "start_time"],
  format_version: "v2_beta",
  compression: "gzip",
} as const;

/** The folders between the project and the year. */
const folderOf = (key = "") => /session_id=[^/]+\/(.*?)\/?year=/.exec(key)?.[1];

/** Checks the files of one spawned export; answers with the ids of its rows. */
async function rowsOfSpawned(
  t: Contract,
  id: string,
  folder: string | undefined,
): Promise<readonly unknown[]> {
  const keys = await filesOf(t, id);
  t.fact("2.5-5", equal(keys.length, 1), "a spawned export has a file for the window with rows");
  const [file] = await readAll(t, keys);
  const columns = file?.columns ?? [];
  const names = columns.map(({ name }) => name);
  t.fact(
    "2.5-5",
    sameItems(names, SCHEDULE_FIELDS.export_fields),
    "its columns are the export_fields of the schedule",
  );
  const tags = columns.find(({ name }) => name === "tags");
  t.fact(
    "2.5-6",
    equal(tags?.repeated, true),
    "its column types are those of the format_version of the schedule",
  );
  t.fact("2.5-5", equal(folderOf(keys[0]), folder), "its folder is the folder of exports of this format");
  t.choice("2.5-12", equal(file?.codec, "GZIP"), "its codec is the codec of the schedule");
  return file?.rows.map((each) => each.id) ?? [];
}

export const SCHEDULE_CASES = suite({
  "3.3/handed-down": {
    title: "spawned exports have the filter, columns, format and codec of the schedule",
    requirements: ["2.5-5", "2.5-6", "2.5-12"],
    needs: [...SCHEDULES, "object_store", "columns"],
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const { id: once } = await runExport(t, prepared, { format_version: SCHEDULE_FIELDS.format_version });
      const folder = folderOf((await filesOf(t, once))[0]);
      const { id, start } = await schedule(t, prepared, { interval_hours: 6, ...SCHEDULE_FIELDS });
      const selectedRows = [1, 7].map((hours) => row(t, start + hours * HOUR, { name: "kept", tags: ["a"] }));
      const otherRows = [2, 8].map((hours) => row(t, start + hours * HOUR, { name: "left" }));
      await ingest(t, prepared.projectId, [...selectedRows, ...otherRows]);
      await t.advance("PT12H10M");
      const spawnedExports = await spawnedBy(t, id);
      t.must("3.3-2", spawnedExports.length === 2, "two windows have two exports", {
        actual: spawnedExports.length,
      });
      const exportedIds: unknown[] = [];
      for (const child of spawnedExports) {
        t.must("3.1-6", await until(t, child.id, "COMPLETED"), "a spawned export is COMPLETED");
        exportedIds.push(...(await rowsOfSpawned(t, child.id, folder)));
      }
      const selected = selectedRows.map(({ id }) => id);
      t.fact(
        "2.5-5",
        sameItems(exportedIds, selected),
        "the files contain the rows that the filter of the schedule selects",
      );
    },
  },
  "3.3/destination-gone": {
    title: "a schedule with a deleted destination continues, and each of its exports fails",
    requirements: ["7.3-5", "3.3-7"],
    needs: SCHEDULES,
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const { id } = await schedule(t, prepared, { interval_hours: 6 });
      const { status } = await t.call("DELETE", `${DESTINATIONS}/${prepared.destinationId}`);
      if (!t.choice("destination.delete_in_use", status < 300, "a destination in use can be deleted")) return;
      await t.advance("PT12H10M");
      const spawnedExports = await spawnedBy(t, id);
      t.choice(
        "export.schedule_without_destination",
        equal(spawnedExports.length, 2),
        "the schedule continues to spawn exports",
      );
      for (const child of spawnedExports)
        t.fact("7.3-5", inStatus(child, "FAILED"), "an export without its destination is FAILED");
      t.choice("3.3-7", inStatus(await exportOf(t, id), "RUNNING"), "the schedule is RUNNING");
    },
  },
});
