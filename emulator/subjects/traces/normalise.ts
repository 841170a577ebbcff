import { fieldAt, parseUuid } from "./field-readers.ts";
import { isJsonObject } from "./json.ts";
import { lineageProblems, type ParentLookup } from "./lineage.ts";
import { buildRow, type RowFields } from "./row.ts";
import {
  type InputFields,
  isInputColumn,
  type ParsedRun,
  type ProjectReference,
  readRun,
} from "./run-input.ts";

/** The project of a run that does not name one. */
const DEFAULT_PROJECT_NAME = "default";

/** Why an item is rejected; each problem begins with the field's path. */
export interface Problems {
  readonly problems: readonly string[];
}

/** A validated post, to be assigned to its project with `rowUnder`. */
export interface IngestedRun {
  readonly fields: RowFields;
  readonly project: ProjectReference;
  readonly unknownFields: readonly string[];
}

/** A validated patch: plain JSON, only the fields that were sent, values in stored form. */
export interface IngestedPatch {
  readonly id: string;
  readonly patch: TracePatch;
  readonly unknownFields: readonly string[];
}

/** Null clears a field; a patch can also be kept (`held-patches.ts`) and read back before it is applied. */
export type TracePatch = InputFields;

interface PostContext {
  /** ISO 8601 UTC with six decimals; default start_time. */
  readonly now: string;
  /** Finds the parent from which a child without lineage fields derives its place. */
  readonly parentOf?: ParentLookup;
}

/**
 * Fields whose null in a patch is ignored: clients send null for arguments that their caller omitted, and
 * treating it as a deletion would lose tags, metadata and the place in the trace.
 */
const KEPT_ON_NULL: ReadonlySet<string> = new Set([
  "dotted_order",
  "extra",
  "name",
  "parent_run_id",
  "parent_run_ids",
  "run_type",
  "start_time",
  "status",
  "tags",
  "trace_id",
] satisfies (keyof TracePatch)[]);

/** Converts a posted run into the fields of a trace row, or returns all problems. */
export function normalisePost(
  value: unknown,
  where: string,
  context: PostContext,
): { readonly run: IngestedRun } | Problems {
  if (!isJsonObject(value)) return notAnObject(where);
  const reading = readRun(value, where);
  const problems = [...reading.problems];
  for (const name of ["id", "name", "run_type"] as const) {
    if (value[name] === undefined || value[name] === null)
      problems.push(`${fieldAt(where, name)}: is required`);
  }
  problems.push(...placeProblems(reading, reading.id, where));
  if (reading.id === undefined || problems.length > 0) return { problems };
  const fields = buildRow(reading.id, reading.fields, context.now, context.parentOf ?? (() => undefined));
  const project = reading.project ?? { sessionName: DEFAULT_PROJECT_NAME };
  return { run: { fields, project, unknownFields: reading.unknownFields } };
}

/**
 * Validates a patch. Its id is `id` (from the request's path) when defined, else the patch's own.
 * A project named in a patch is validated and ignored: a run stays in its project.
 */
export function normalisePatch(value: unknown, where: string, id?: string): IngestedPatch | Problems {
  if (!isJsonObject(value)) return notAnObject(where);
  const reading = readRun(value, where);
  const problems = [...reading.problems];
  const knownId = id === undefined ? reading.id : parseUuid(id);
  if (knownId === undefined && (id !== undefined || value.id == null)) {
    problems.push(`${fieldAt(where, "id")}: ${id === undefined ? "is required" : "must be a uuid"}`);
  } else if (reading.id !== undefined && reading.id !== knownId) {
    problems.push(`${fieldAt(where, "id")}: must be the id in the path`);
  }
  problems.push(...placeProblems(reading, knownId, where));
  if (knownId === undefined || problems.length > 0) return { problems };
  const fieldsOf = Object.entries(reading.fields).filter(
    ([name, value]) => isInputColumn(name) && (value !== null || !KEPT_ON_NULL.has(name)),
  );
  return { id: knownId, patch: Object.fromEntries(fieldsOf), unknownFields: reading.unknownFields };
}

/** Contradictions between fields are reported only when each field by itself is valid. */
function placeProblems(reading: ParsedRun, id: string | undefined, where: string): readonly string[] {
  if (id === undefined || reading.problems.length > 0) return [];
  return lineageProblems(id, reading.fields).map((problem) => fieldAt(where, problem));
}

function notAnObject(where: string): Problems {
  return { problems: [`${where === "" ? "body" : where}: must be a JSON object`] };
}
