import { fieldAt, parseUuid } from "./field-readers.ts";
import { isJsonObject } from "./json.ts";
import { lineageProblems, type ParentLookup } from "./lineage.ts";
import { buildRow, type RowFields } from "./row.ts";
import { type InputFields, type ParsedRun, type ProjectReference, readRun } from "./run-input.ts";

/** The project of a run that names none. */
const DEFAULT_PROJECT_NAME = "default";

/** Why a request is not taken; each problem begins with the field's name. */
export interface Problems {
  readonly problems: readonly string[];
}

/** A posted run, ready to be put under its project with `rowUnder`. */
export interface IngestedRun {
  readonly fields: RowFields;
  readonly project: ProjectReference;
  readonly unknownFields: readonly string[];
}

/** A patch that has been checked: plain JSON, only the fields it was given, values in the row's form. */
export interface IngestedPatch {
  readonly id: string;
  readonly patch: TracePatch;
  readonly unknownFields: readonly string[];
}

/** Null clears a field; a patch can also be kept (`held-patches.ts`) and read back before it is applied. */
export type TracePatch = InputFields;

interface PostContext {
  /** ISO 8601 UTC with six decimals; the start of a run that does not say when it began. */
  readonly now: string;
  /** Lets a child that does not say its place in the trace take it from its parent. */
  readonly parentOf?: ParentLookup;
}

/**
 * Fields of which a null in a patch says nothing. Clients fill them with null when their caller
 * left them out, and taking that for a deletion would lose tags, metadata and the place in the trace.
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

/** Turns a posted run into the fields of a trace row, or names everything that is wrong with it. */
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
 * Checks a patch. Its id is `id` when the path of the request says it, else the one in the patch.
 * A project named in a patch is checked and not used: a run stays where it was posted.
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
    ([name, value]) => value !== null || !KEPT_ON_NULL.has(name),
  );
  return { id: knownId, patch: Object.fromEntries(fieldsOf), unknownFields: reading.unknownFields };
}

/** Once a field itself is wrong, what it says against the others is noise. */
function placeProblems(reading: ParsedRun, id: string | undefined, where: string): readonly string[] {
  if (id === undefined || reading.problems.length > 0) return [];
  return lineageProblems(id, reading.fields).map((problem) => fieldAt(where, problem));
}

function notAnObject(where: string): Problems {
  return { problems: [`${where === "" ? "body" : where}: must be a JSON object`] };
}
