import type { TraceRow } from "../../../contracts/spec/export-columns.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { projectFor } from "../projects/projects.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { type IngestedPatch, type IngestedRun, normalisePatch, normalisePost } from "./normalise.ts";
import { applyPatch } from "./patch.ts";
import type { TraceScope } from "./port.ts";
import { rowUnder } from "./row.ts";

/** New rows and changes as they came, each with the place in the request that it came from. */
export interface Batch {
  readonly posts: readonly { readonly value: unknown; readonly where: string }[];
  readonly patches: readonly { readonly value: unknown; readonly where: string; readonly id?: string }[];
}

const MAX_PROBLEMS = 10;

/** Takes in a batch as one: everything in it is sound, or nothing of it is kept. */
export function ingest(turn: Turn, workspace: Workspace, batch: Batch): void {
  const draft = createDraft(turn, { region: workspace.region, tenantId: workspace.tenant_id });
  const { runs, patches } = normalised(turn, batch, draft);
  for (const run of runs) draft.post(run, projectFor(turn, workspace, run.project).id);
  for (const patch of patches) draft.patch(patch);
  draft.write();
}

function normalised(turn: Turn, batch: Batch, draft: Draft) {
  const runs: IngestedRun[] = [];
  const patches: IngestedPatch[] = [];
  const problems: string[] = [];
  const now = formatInstant(turn.now);
  // A child may stand behind its parent in the same batch and take its place from it.
  const known = new Map<string, IngestedRun["fields"]>();
  const parentOf = (id: string) => known.get(id) ?? draft.row(id);
  for (const { value, where } of batch.posts) {
    const result = normalisePost(value, where, { now, parentOf });
    if ("problems" in result) problems.push(...result.problems);
    else {
      runs.push(result.run);
      known.set(result.run.fields.id, result.run.fields);
    }
  }
  for (const { value, where, id } of batch.patches) {
    const result = normalisePatch(value, where, id);
    if ("problems" in result) problems.push(...result.problems);
    else patches.push(result);
  }
  if (problems.length > 0) throw new Refusal(422, "invalid_run", sentence(problems));
  return { runs, patches };
}

function sentence(problems: readonly string[]): string {
  const more = problems.length - MAX_PROBLEMS;
  return problems.slice(0, MAX_PROBLEMS).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

interface Draft {
  row(id: string): TraceRow | undefined;
  post(run: IngestedRun, sessionId: string): void;
  patch(patch: IngestedPatch): void;
  write(): void;
}

/** Rows as they will stand after the batch; the store sees only the last of each. */
function createDraft(turn: Turn, scope: TraceScope): Draft {
  const { traces } = turn.ports;
  const rows = new Map<string, TraceRow>();
  const held: IngestedPatch[] = [];
  const row = (id: string) => rows.get(id) ?? traces.read(scope, id);
  return {
    row,
    post(run, sessionId) {
      const { id } = run.fields;
      // Clients send a row again when they saw no reply; what has been changed since must not be lost.
      if (row(id)) return turn.note("trace.duplicate", id);
      const fresh = rowUnder(sessionId, run.fields);
      const waiting = traces.heldPatches(scope, id);
      rows.set(
        id,
        waiting.reduce<TraceRow>((before, patch) => applyPatch(before, patch, row), fresh),
      );
    },
    patch(patch) {
      const before = row(patch.id);
      if (before) rows.set(patch.id, applyPatch(before, patch.patch, row));
      else held.push(patch);
    },
    write() {
      if (rows.size > 0) traces.write(scope, [...rows.values()]);
      for (const { id, patch } of held) traces.holdPatch(scope, id, patch);
    },
  };
}
