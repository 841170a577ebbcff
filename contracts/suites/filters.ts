import { suite } from "../engine/case.ts";
import { sameItems, sorted } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { COLUMNS } from "../facts/columns.ts";
import { exportRows, FILES, ingest, type Prepared, prepare, row } from "./export-helpers.ts";

const MARKED: Members = {
  error: "boom",
  extra: { metadata: { colour: "blue" } },
  events: [{ name: "mark" }],
  ...{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

/** Columns that hold JSON; `2.5/filter-values` has the others. */
const FILTERS = ['like(extra, "%blue%")', 'like(events, "%mark%")'] as const;

/** How a filter writes a value of a column, by its kind. */
const WRITTEN: Readonly<Partial<Record<string, (value: unknown) => string>>> = {
  text: (value) => JSON.stringify(value),
  boolean: String,
  count: String,
  cost: String,
};

const idsSelectedBy = async (t: Contract, prepared: Prepared, filter: string) =>
  (await exportRows(t, prepared, { filter })).map(({ id }) => id);

/** A root and its child, which has a value in every column. */
function familyOf(t: Contract, at: number): readonly Members[] {
  const [root, own] = [row(t, at), row(t, at + HOUR, { ...MARKED, reference_example_id: t.draw.uuid() })];
  const place = { trace_id: root.id, parent_run_id: root.id };
  const costs = { total_cost: 0.75, prompt_cost: 0.5, completion_cost: 0.25 };
  return [root, { ...own, ...place, ...costs, dotted_order: `${root.dotted_order}.${own.dotted_order}` }];
}

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

/** Patterns with several `%`, at every place; `_` is any one character. */
const PATTERNS = ["a%b%c", "%b%c%", "a%X%Y%c", "abc", "%bc", "%", "a_c", "%_Y_c"] as const;
const NAMES = ["abc", "aXbc", "aXbYc", "abYcd", "acb", "bc", "cba"] as const;

/** Which texts a pattern of SQL fits. */
function fitting(pattern: string): readonly string[] {
  const expression = pattern.replaceAll("%", ".*").replaceAll("_", ".");
  return NAMES.filter((name) => new RegExp(`^${expression}$`).test(name));
}

/** Numbers next to each other, and what each comparison with the middle one selects. */
const NUMBERS = [6, 7, 8] as const;
const COMPARISONS = { lt: [6], lte: [6, 7], gt: [8], gte: [7, 8] } as const;

/** Words that no list of examples has. */
const OPEN = { run_type: "Robot", status: "on-hold" } as const;

export const FILTER_CASES = suite({
  "2.5/filter-columns": {
    title: "a filter can use columns of JSON",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 2 });
      const marked = row(t, prepared.from + 5 * HOUR, MARKED);
      await ingest(t, prepared.projectId, [marked]);
      for (const filter of FILTERS) {
        const ids = await idsSelectedBy(t, prepared, filter);
        t.fact("2.5-4", sameItems(ids, [marked.id]), `${filter} selects the row that it describes`);
      }
    },
  },
  "2.5/filter-values": {
    title: "eq with a value of a column selects the rows that have it",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 2 });
      await ingest(t, prepared.projectId, familyOf(t, prepared.from + 5 * HOUR));
      const all = await exportRows(t, prepared);
      const isChild = ({ parent_run_id }: Members) => parent_run_id !== null;
      const [child, root] = [all.find(isChild), all.find((each) => !isChild(each))];
      for (const [column, kind] of Object.entries(COLUMNS)) {
        const { [column]: value } = child ?? {};
        if (!(kind in WRITTEN) || value == null) continue;
        for (const written of new Set(kind === "boolean" ? [value, root?.[column]] : [value])) {
          const filter = `eq(${column}, ${WRITTEN[kind]?.(written)})`;
          const ids = await idsSelectedBy(t, prepared, filter);
          const expected = all.filter((each) => each[column] === written).map((each) => each.id);
          t.fact("2.5-4", sameItems(ids, expected), `${filter} selects the rows with this value`);
        }
      }
    },
  },
  "2.5/filter-and": {
    title: "and of three and more expressions needs all of them",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const more = (index: number) => COMBINATIONS[index] as Members;
      const prepared = await prepare(t, { days: 1, perDay: COMBINATIONS.length, more });
      for (const filter of CONJUNCTIONS) {
        const ids = await idsSelectedBy(t, prepared, filter);
        t.fact(
          "2.5-4",
          sameItems(ids, [prepared.rows[0]?.id]),
          `${filter} selects the one row that meets it`,
        );
      }
    },
  },
  "2.5/filter-like": {
    title: "like fits patterns with several wildcards",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const more = (index: number) => ({ name: NAMES[index] });
      const prepared = await prepare(t, { days: 1, perDay: NAMES.length, more });
      for (const pattern of PATTERNS) {
        const filter = `like(name, "${pattern}")`;
        const names = (await exportRows(t, prepared, { filter })).map(({ name }) => name);
        const selection = sameItems(names, fitting(pattern));
        if (pattern.includes("_")) t.choice("export.filter_grammar", selection, filter);
        else t.fact("2.5-4", selection, `${filter} selects the names that fit`);
      }
    },
  },
  "2.5/filter-order": {
    title: "gt, gte, lt and lte tell a value from its neighbours",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const more = (index: number) => ({ total_tokens: NUMBERS[index] });
      const prepared = await prepare(t, { days: 1, perDay: NUMBERS.length, more });
      for (const [name, expected] of Object.entries(COMPARISONS)) {
        const filter = `${name}(total_tokens, ${NUMBERS[1]})`;
        const rows = await exportRows(t, prepared, { filter });
        const actual = rows.map(({ total_tokens }) => Number(total_tokens));
        t.choice("export.filter_grammar", sameItems(actual, expected), filter);
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
        const rows = await exportRows(t, prepared, more);
        const actual = sorted(rows.map(({ run_type, status }) => `${run_type} ${status}`));
        const expected = sorted(prepared.rows.map(() => "Robot on-hold"));
        t.fact("2.7-1", actual === expected, "both values are exported unchanged", { expected, actual });
      }
    },
  },
});
