import { suite } from "../engine/case.ts";
import { sameItems, sorted } from "../engine/check.ts";
import { HOUR } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { ingest, prepare, row, rowsOf, runExport } from "./export-helpers.ts";

const FILES = ["writes", "ingest", "object_store"] as const;

const MARKED: Members = {
  error: "boom",
  extra: { metadata: { colour: "blue" } },
  events: [{ name: "mark" }],
  outputs: { usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
};

/** Columns of §2.7, in forms that the specification shows: eq and like. */
const FILTERS = [
  'eq(error, "boom")',
  "eq(total_tokens, 7)",
  "eq(prompt_tokens, 3)",
  "eq(completion_tokens, 4)",
  'like(extra, "%blue%")',
  'like(events, "%mark%")',
] as const;

/** Three conditions, each of which only half of the rows with the other two meet. */
const CONDITIONS = ['eq(name, "a")', 'eq(run_type, "llm")', 'like(error, "b%")'] as const;
const [FIRST, SECOND, THIRD] = CONDITIONS;

const CONJUNCTIONS = [
  `and(${CONDITIONS.join()})`,
  `and(${CONDITIONS.toReversed().join()})`,
  `and(${FIRST}, and(${SECOND}, ${THIRD}))`,
  `and(and(${THIRD}, ${FIRST}), ${SECOND})`,
  `and(${SECOND}, ${FIRST}, ${THIRD}, ${SECOND})`,
] as const;

/** A row for each combination of a name, a type and an error; the first one meets the three conditions. */
const COMBINATIONS: readonly Members[] = ["a", "c"].flatMap((name) =>
  ["llm", "tool"].flatMap((run_type) => ["boom", "late"].map((error) => ({ name, run_type, error }))),
);

/** Words that no list of examples has. */
const OPEN = { run_type: "Robot", status: "on-hold" } as const;

export const FILTER_CASES = suite({
  "2.5/filter-columns": {
    title: "a filter can use any column",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 2 });
      const marked = row(t, prepared.from + 5 * HOUR, MARKED);
      await ingest(t, prepared.projectId, [marked]);
      for (const filter of FILTERS) {
        const { id } = await runExport(t, prepared, { filter });
        const ids = (await rowsOf(t, id)).map((each) => each.id);
        t.fact("2.5-4", sameItems(ids, [marked.id]), `${filter} selects the row that it describes`);
      }
      const { id } = await runExport(t, prepared, { filter: `eq(tenant_id, "${t.identity.tenantId}")` });
      const ids = (await rowsOf(t, id)).map((each) => each.id);
      const all = [...prepared.rows, marked].map((each) => each.id);
      t.fact("2.5-4", sameItems(ids, all), "eq(tenant_id, …) selects the rows of the workspace");
    },
  },
  "2.5/filter-and": {
    title: "and of three and more expressions needs all of them",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      let next = 0;
      const more = () => COMBINATIONS[next++] as Members;
      const prepared = await prepare(t, { days: 1, perDay: COMBINATIONS.length, more });
      for (const filter of CONJUNCTIONS) {
        const { id } = await runExport(t, prepared, { filter });
        const ids = (await rowsOf(t, id)).map((each) => each.id);
        t.fact(
          "2.5-4",
          sameItems(ids, [prepared.rows[0]?.id]),
          `${filter} selects the one row that meets it`,
        );
      }
    },
  },
  "2.7/open-sets": {
    title: "run_type and status are exported unchanged",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 2, more: () => OPEN });
      for (const more of [{}, { filter: 'and(eq(run_type, "Robot"), eq(status, "on-hold"))' }]) {
        const { id } = await runExport(t, prepared, more);
        const actual = sorted((await rowsOf(t, id)).map(({ run_type, status }) => `${run_type} ${status}`));
        const expected = sorted(prepared.rows.map(() => "Robot on-hold"));
        t.fact("2.7-1", actual === expected, "both values are exported unchanged", { expected, actual });
      }
    },
  },
});
