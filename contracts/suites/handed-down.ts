import { suite } from "../engine/case.ts";
import { equal, sameItems } from "../engine/check.ts";
import { HOUR, iso, MINUTE } from "../engine/instant.ts";
import { ENHANCED_FORMAT, SPAWN_DELAY_MINUTES } from "../facts/bulk-exports.ts";
import {
  createExport,
  EXPORTS,
  type ExportBody,
  filesOf,
  ingest,
  prepare,
  readAll,
  row,
  until,
} from "./export-helpers.ts";

export const HANDED_DOWN_CASES = suite({
  "3.3/hands-down": {
    title: "what a schedule spawns has its filter, export_fields, format_version and compression",
    requirements: ["2.5-5", "2.5-6", "2.5-12"],
    needs: ["writes", "ingest", "clock", "schedules", "columns", "object_store"],
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const start = await t.now();
      const export_fields = ["name", "tags", "start_time"];
      const { id } = await createExport(
        t,
        { ...prepared, from: start },
        {
          interval_hours: 6,
          filter: 'eq(name, "wanted")',
          export_fields,
          format_version: ENHANCED_FORMAT,
          compression: "gzip",
        },
      );
      const rows = ["wanted", "other"].map((name) => row(t, start + HOUR, { name, tags: ["blue"] }));
      await ingest(t, prepared.projectId, rows);
      await t.advance({ to: iso(start + 6 * HOUR + SPAWN_DELAY_MINUTES * MINUTE) });
      const { body } = await t.call<readonly ExportBody[]>("GET", EXPORTS);
      const child = body.find(({ source_bulk_export_id }) => source_bulk_export_id === id)?.id ?? "";
      t.must("3.1-6", await until(t, child, "COMPLETED"), "what it has spawned is COMPLETED");
      const [file] = await readAll(t, await filesOf(t, child));
      t.must("2.8-1", file !== undefined, "it has a file");
      const names = file?.rows.map(({ name }) => name);
      t.fact("2.5-5", equal(names, ["wanted"]), "the file has the rows that the filter admits");
      const columns = file?.columns ?? [];
      t.fact(
        "2.5-5",
        sameItems(
          columns.map(({ name }) => name),
          export_fields,
        ),
        "and the columns asked for",
      );
      const isList = columns.find(({ name }) => name === "tags")?.repeated;
      t.fact("2.5-6", equal(isList, true), "typed as in v2_beta");
      t.choice("2.5-12", equal(file?.codec, "GZIP"), "and compressed as the schedule says");
    },
  },
});
