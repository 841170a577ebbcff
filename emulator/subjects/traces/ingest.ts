import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { recordFeedback, refuseTooMuch } from "../feedback/feedback.ts";
import { type FeedbackInput, readFeedback } from "../feedback/input.ts";
import { isSameProject, type ProjectReference, projectFor, refuseDeleted } from "../projects/projects.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { createDraft } from "./draft.ts";
import { holdPatches } from "./held-patches.ts";
import { type IngestedPatch, type IngestedRun, normalisePatch, normalisePost } from "./normalise.ts";

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

/** Ingests a batch atomically. Throws a `Refusal` (404, 422, 429) before anything is written. */
export function ingest(turn: Turn, workspace: Workspace, batch: Batch): void {
  const { runs, patches, feedback } = checkBatch(turn, workspace, batch);
  const draft = createDraft(turn, workspace);
  const posted = new Set(runs.map(({ fields }) => fields.id));
  // The only step that may still refuse comes before anything is written.
  holdPatches(
    turn,
    workspace,
    patches.filter(({ id }) => !posted.has(id) && !draft.isStored(id)),
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
  const runs: IngestedRun[] = [];
  const patches: IngestedPatch[] = [];
  const feedback: FeedbackInput[] = [];
  const problems: string[] = [...(batch.problems ?? [])];
  const now = formatInstant(turn.now);
  for (const { value, where } of batch.posts) {
    const result = normalisePost(value, where, { now });
    if ("problems" in result) problems.push(...result.problems);
    else runs.push(result.run);
  }
  for (const { value, where, id } of batch.patches) {
    const result = normalisePatch(value, where, id);
    if ("problems" in result) problems.push(...result.problems);
    else patches.push(result);
  }
  for (const { value, where } of batch.feedback ?? []) {
    const result = readFeedback(value, where);
    if ("problems" in result) problems.push(...result.problems);
    else feedback.push(result.input);
  }
  if (problems.length > 0) throw new Refusal(422, "invalid_run", joinProblems(problems));
  return { runs, patches, feedback };
}

function joinProblems(problems: readonly string[]): string {
  const more = problems.length - MAX_PROBLEMS;
  return problems.slice(0, MAX_PROBLEMS).join("; ") + (more > 0 ? `; and ${more} more` : "");
}
