import { formatDuration } from "../../kernel/duration.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { recordFeedback, refuseTooMuch } from "../feedback/feedback.ts";
import { readFeedback } from "../feedback/input.ts";
import { isSameProject, type ProjectReference, projectFor, refuseDeleted } from "../projects/projects.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { createDraft } from "./draft.ts";
import { fieldAt } from "./field-readers.ts";
import { holdPatches } from "./held-patches.ts";
import { normalisePatch, normalisePost, type Problems } from "./normalise.ts";
import { millisOf } from "./wire-time.ts";

/** An item of an ingest request as received, with its path in the request for error messages. */
export interface IngestItem {
  readonly value: unknown;
  readonly where: string;
}

/** The posts, patches and feedback of one ingest request. */
export interface Batch {
  readonly posts: readonly IngestItem[];
  readonly patches: readonly (IngestItem & { readonly id?: string })[];
  readonly feedback?: readonly IngestItem[];
  /** Problems found while parsing the request. */
  readonly problems?: readonly string[];
}

const MAX_PROBLEMS = 10;
/** A batch with more is not read to its end. */
const MAX_COUNTED_PROBLEMS = 1_000;

/** Throws a `Refusal` (413) for more items than one request may have. */
export function requireBatchSize({ ports }: Turn, items: number): void {
  const { batch_items } = ports.settings.limits;
  if (items <= batch_items) return;
  throw new Refusal(
    413,
    "too_many_items",
    `The request has ${items} items; at most ${batch_items} are accepted.`,
    "Send smaller requests, or raise limits.batch_items.",
  );
}

/** Ingests a batch atomically. Throws a `Refusal` (404, 422, 429) before anything is written. */
export function ingest(turn: Turn, workspace: Workspace, batch: Batch): void {
  const { runs, patches, feedback } = checkBatch(turn, workspace, batch);
  const draft = createDraft(turn, workspace);
  const postedIds = new Set(runs.map(({ fields }) => fields.id));
  // The only step that may still refuse comes before anything is written.
  holdPatches(
    turn,
    workspace,
    patches.filter(({ id }) => !postedIds.has(id) && !draft.isStored(id)),
  );
  const projectOf = onceInARow((reference) => projectFor(turn, workspace, reference));
  for (const run of runs) draft.post(run, projectOf(run.project).id);
  for (const patch of patches) draft.patch(patch);
  for (const input of feedback) recordFeedback(turn, workspace, input, draft);
  draft.write();
}

/** Reads a batch without writing. Throws a `Refusal` (404, 422, 429). */
export function checkBatch(turn: Turn, workspace: Workspace, batch: Batch) {
  const read = normalised(turn, batch);
  const refuse = onceInARow((reference) => {
    if ("sessionId" in reference) refuseDeleted(turn, workspace, reference.sessionId);
  });
  for (const { project } of read.runs) refuse(project);
  for (const input of read.feedback) refuseTooMuch(turn, workspace, input);
  return read;
}

/** The same for a project of which the run before was too, as most are. */
function onceInARow<T>(act: (reference: ProjectReference) => T): (reference: ProjectReference) => T {
  let last: { readonly reference: ProjectReference; readonly result: T } | undefined;
  return (reference) => {
    if (!last || !isSameProject(last.reference, reference)) last = { reference, result: act(reference) };
    return last.result;
  };
}

function normalised(turn: Turn, batch: Batch) {
  const problems: string[] = [...(batch.problems ?? [])];
  const now = formatInstant(turn.now);
  const runs = readEach(batch.posts, problems, ({ value, where }) => {
    const read = normalisePost(value, where, { now });
    return "problems" in read ? read : (windowProblems(turn, where, read.run.fields.start_time) ?? read);
  });
  const patches = readEach(batch.patches, problems, ({ value, where, id }) => {
    const read = normalisePatch(value, where, id);
    return "problems" in read ? read : (windowProblems(turn, where, read.patch.start_time) ?? read);
  });
  const feedback = readEach(batch.feedback ?? [], problems, ({ value, where }) => readFeedback(value, where));
  if (problems.length > 0) throw new Refusal(422, "invalid_run", joinProblems(problems));
  return { runs: runs.map(({ run }) => run), patches, feedback: feedback.map(({ input }) => input) };
}

/** The problem of a start time outside `ingest.window`; undefined within it. */
function windowProblems(
  { now, ports }: Turn,
  where: string,
  startTime?: string | null,
): Problems | undefined {
  const { ingestWindowMs } = ports.settings;
  if (ingestWindowMs === null || startTime == null) return undefined;
  if (Math.abs(millisOf(startTime) - now) <= ingestWindowMs) return undefined;
  const limit = `more than ${formatDuration(ingestWindowMs)} from ${formatInstant(now)}, the time of the world`;
  const rule = `${startTime} is ${limit} (ingest.window). Send a later or earlier start_time, or change the setting.`;
  return { problems: [`${fieldAt(where, "start_time")}: ${rule}`] };
}

/** Reads items until there are too many problems. */
function readEach<Item, Result extends object>(
  items: readonly Item[],
  problems: string[],
  read: (item: Item) => Result | Problems,
): readonly Exclude<Result, Problems>[] {
  const results: Exclude<Result, Problems>[] = [];
  for (const item of items) {
    if (problems.length > MAX_COUNTED_PROBLEMS) break;
    const result = read(item);
    if ("problems" in result) problems.push(...result.problems);
    else results.push(result as Exclude<Result, Problems>);
  }
  return results;
}

function joinProblems(problems: readonly string[]): string {
  const more = problems.length - MAX_PROBLEMS;
  const count = problems.length > MAX_COUNTED_PROBLEMS ? `at least ${more}` : more;
  return problems.slice(0, MAX_PROBLEMS).join("; ") + (more > 0 ? `; and ${count} more` : "");
}
