import { suite } from "../engine/case.ts";
import { accepted, equal, includes } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, iso, SECOND } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { jsonOf, parseExact } from "../engine/json.ts";
import type { COLUMNS, EXPORT_ONLY_COLUMNS } from "../facts/columns.ts";
import { exportRows, FILES, ingest, prepare, row, rowAt } from "./export-helpers.ts";

const JSON_COLUMNS = new Set(["inputs", "outputs", "extra", "events"]);

/** A value of a file in its sent form: whole numbers as numbers, JSON as values, ids of callers without an order. */
function plain(name: string, value: unknown): unknown {
  if (name === "parent_run_ids" && Array.isArray(value)) return value.toSorted();
  if (typeof value === "bigint") return Number(value);
  return JSON_COLUMNS.has(name) && typeof value === "string" ? jsonOf(value) : (value ?? null);
}

/** The columns of `fullStep`: all except those of the basic row and those that the platform derives. */
type SentColumn = Exclude<
  keyof typeof COLUMNS,
  | (typeof EXPORT_ONLY_COLUMNS)[number]
  | "id"
  | "session_id"
  | "start_time"
  | "trace_tier"
  | "parent_run_ids"
  | "feedback_stats"
>;

/** A child row with a distinct value in every column that a client can send. */
function fullStep(t: Contract, start: number, root: Members): Members {
  const step = row(t, start);
  return {
    ...step,
    name: "answer",
    run_type: "llm",
    trace_id: root.id,
    parent_run_id: root.id,
    dotted_order: `${root.dotted_order}.${step.dotted_order}`,
    reference_example_id: t.draw.uuid(),
    end_time: iso(start + 9 * SECOND),
    error: "It broke: ü",
    status: "error",
    inputs: { question: "Why? 😀" },
    outputs: { answer: ["Because."] },
    extra: { metadata: { flavour: "plain" } },
    events: [{ name: "start", time: iso(start) }],
    tags: ["blue", "grün"],
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    prompt_cost: 0.25,
    completion_cost: 0.5,
    total_cost: 0.75,
    first_token_time: iso(start + 2 * SECOND),
  } satisfies Members & Record<SentColumn, unknown>;
}

const LARGE = 2 ** 31;
const NOTHING = { total_tokens: null, prompt_tokens: null, completion_tokens: null, total_cost: null };

/** §2.7: values next to a boundary that a file or a store may have, each in a row of its own. */
const BOUNDARY_VALUES: Readonly<Record<string, Members>> = {
  "a long name": { name: "n".repeat(300) },
  "a name with spaces at its ends": { name: " ü " },
  "token counts above 31 and 32 bits": {
    prompt_tokens: LARGE,
    completion_tokens: 2 * LARGE,
    total_tokens: 3 * LARGE,
  },
  "token counts of 0": { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  "no token counts and costs": {
    ...NOTHING,
    prompt_cost: null,
    completion_cost: null,
    first_token_time: null,
  },
  "small costs": { prompt_cost: 0.000001, completion_cost: 0.000002, total_cost: 0.000003 },
  "JSON in JSON": { inputs: { text: '{"a":"\\"1\\""}' }, outputs: { list: [null, true, 1.5, LARGE, ""] } },
  "no outputs and error": { outputs: null, error: null },
  "a trace_tier": { trace_tier: "longlived" },
};

/** Rows with the values, a row with times below a millisecond, and a trace of three levels. */
function boundaryRows(t: Contract, from: number): Readonly<Record<string, Members>> {
  const values = Object.entries(BOUNDARY_VALUES).map(([title, more]) => [title, row(t, from, more)]);
  const second = iso(from).slice(0, 19);
  const times = {
    start_time: `${second}.123456Z`,
    end_time: `${second}.123457Z`,
    first_token_time: `${second}.123456Z`,
  };
  const top = row(t, from);
  const middle = childOf(row(t, from + SECOND), top, []);
  const leaf = childOf(row(t, from + 2 * SECOND), middle, [top.id]);
  return {
    ...Object.fromEntries(values),
    "times below a millisecond": rowAt(t, times.start_time, times),
    "a root row": { ...top, parent_run_id: null, parent_run_ids: [], is_root: true },
    "its child": { ...middle, is_root: false },
    "the child of its child": { ...leaf, is_root: false },
  };
}

function childOf(row: Members, parent: Members, above: readonly unknown[]): Members {
  return {
    ...row,
    trace_id: parent.trace_id,
    parent_run_id: parent.id,
    parent_run_ids: [...above, parent.id],
    dotted_order: `${parent.dotted_order}.${row.dotted_order}`,
  };
}

/** Numbers with digits that a double does not have, and members whose order JavaScript changes. */
const EXACT_JSON = '{"b":9007199254740993,"10":10.0,"2":0}';

/** The text of the inputs of an exported row that was sent with `EXACT_JSON`. */
async function exportedJson(t: Contract): Promise<string> {
  const prepared = await prepare(t, { days: 1, perDay: 0 });
  await ingest(t, prepared.projectId, [row(t, prepared.from + HOUR, { inputs: parseExact(EXACT_JSON) })]);
  const [exportedRow] = await exportRows(t, prepared);
  t.must("2.7-1", exportedRow !== undefined, "the row is exported");
  if (typeof exportedRow?.inputs !== "string") t.lack("a file in which a JSON column is a text");
  return String(exportedRow?.inputs).replaceAll(" ", "");
}

export const COLUMN_CASES = suite({
  "2.7/json-digits": {
    title: "a JSON column keeps the digits of its numbers",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const json = await exportedJson(t);
      for (const number of ["9007199254740993", "10.0"])
        t.choice("ingest.json", includes(json, `:${number},`), `the number ${number} has its digits`);
    },
  },
  "2.7/json-order": {
    title: "a JSON column keeps the order of its members",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const names = [...(await exportedJson(t)).matchAll(/"(b|10|2)":/g)].map(([, name]) => name);
      t.choice(
        "ingest.json",
        equal(names, ["b", "10", "2"]),
        "the members have the order in which they were sent",
      );
    },
  },
  "2.7/boundaries": {
    title: "values next to the boundaries of their types are exported unchanged",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 0 });
      const rows = boundaryRows(t, prepared.from + HOUR);
      const derived = new Set(["is_root", "parent_run_ids"]);
      const sentRows = Object.values(rows).map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !derived.has(name))),
      );
      await ingest(t, prepared.projectId, sentRows);
      const all = await exportRows(t, prepared, { format_version: "v2_beta" });
      const exportedRows = new Map(all.map((row) => [row.id, row]));
      for (const [title, row] of Object.entries(rows)) {
        const actualRow = exportedRows.get(row.id);
        if (!t.fact("2.7-1", actualRow !== undefined, `a row with ${title} is exported`)) continue;
        for (const [name, expected] of Object.entries(row)) {
          const actual = plain(name, actualRow?.[name]);
          const text = `${title}: column ${name}`;
          if (name !== "trace_tier") t.fact("2.7-1", equal(actual, plain(name, expected)), text);
          else if (t.fact("2.7-1", actual !== null, `${text} has a value`))
            t.choice("ingest.trace_tier", equal(actual, expected), text);
        }
      }
    },
  },
  "2.7/feedback": {
    title: "feedback_stats contains the feedback on a row",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 2 });
      const [first] = prepared.rows;
      const key = `contract_${t.draw.word()}`;
      const body = { run_id: first?.id, key, score: 1 };
      const { status } = await t.call("POST", "/feedback", { body });
      if (!accepted(status).holds) t.lack(`feedback on rows: POST /feedback returned ${status}`);
      for (const exportedRow of await exportRows(t, prepared)) {
        const isIncluded = JSON.stringify(exportedRow.feedback_stats ?? null).includes(key);
        const text = `the feedback is in the row that it is about, and in no other`;
        t.fact("2.7-1", equal(isIncluded, exportedRow.id === first?.id), text);
      }
    },
  },
  "2.7/every-column": {
    title: "each column of an exported row has the value that was sent",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 0 });
      const root = row(t, prepared.from + HOUR);
      const step = fullStep(t, prepared.from + 2 * HOUR, root);
      await ingest(t, prepared.projectId, [root, step]);
      const all = await exportRows(t, prepared, { format_version: "v2_beta" });
      const exportedStep = all.find((exportedRow) => exportedRow.id === step.id);
      t.must("2.7-1", exportedStep !== undefined, "the file contains the row");
      const reportedFields = { is_root: false, parent_run_ids: [root.id] };
      for (const [name, expected] of Object.entries({ ...step, ...reportedFields })) {
        const actual = plain(name, exportedStep?.[name]);
        t.fact("2.7-1", equal(actual, expected), `column ${name}`);
      }
    },
  },
});
