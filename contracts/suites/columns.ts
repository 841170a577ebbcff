import { suite } from "../engine/case.ts";
import { equal } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, iso, SECOND } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { jsonOf } from "../engine/json.ts";
import type { COLUMNS, EXPORT_ONLY_COLUMNS } from "../facts/columns.ts";
import { ingest, prepare, row, rowsOf, runExport } from "./export-helpers.ts";

const JSON_COLUMNS = new Set(["inputs", "outputs", "extra", "events"]);

/** A value of a file in its sent form: times as text, whole numbers as numbers, JSON as values. */
function plain(name: string, value: unknown): unknown {
  if (value instanceof Date) return iso(value.getTime());
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
  | "status"
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

export const COLUMN_CASES = suite({
  "2.7/every-column": {
    title: "each column of an exported row has the value that was sent",
    requirements: ["2.7-1"],
    needs: ["writes", "ingest", "clock", "object_store"],
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 0 });
      const root = row(t, prepared.from + HOUR);
      const step = fullStep(t, prepared.from + 2 * HOUR, root);
      await ingest(t, prepared.projectId, [root, step]);
      const { id } = await runExport(t, prepared, { format_version: "v2_beta" });
      const exportedStep = (await rowsOf(t, id)).find((exportedRow) => exportedRow.id === step.id);
      t.must("2.7-1", exportedStep !== undefined, "the file contains the row");
      const reported = { status: "error", is_root: false, parent_run_ids: [root.id] };
      for (const [name, expected] of Object.entries({ ...step, ...reported })) {
        const actual = plain(name, exportedStep?.[name]);
        t.fact("2.7-1", equal(actual, expected), `column ${name}`);
      }
    },
  },
});
