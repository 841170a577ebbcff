import { Refusal } from "../../kernel/refusal.ts";
import type { Handlers } from "../handler.ts";
import { isDeleted } from "../projects/projects.ts";
import { checkBatch, ingest, requireBatchSize } from "./ingest.ts";
import { batchOfParts } from "./parts.ts";
import { batchOfSpans } from "./spans/batch.ts";
import { camelCase, snakeCaseName } from "./spans/names.ts";
import { runView } from "./view.ts";

const MAX_NOTED_ATTACHMENTS = 100;

/** Placeholder for a missing id until the row is accepted, because drawing an id is a write. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** Handlers that ingest and look up trace rows. */
export const TRACE_HANDLERS = {
  createRun(turn, { workspace, body }) {
    const batchOf = (value: unknown) => ({ posts: [{ value, where: "body" }], patches: [] });
    if (body.id == null) checkBatch(turn, workspace, batchOf({ ...body, id: NO_ID }));
    ingest(turn, workspace, batchOf(body.id == null ? { ...body, id: turn.nextId("trace_run") } : body));
    return {};
  },

  ingestRunBatch(turn, { workspace, body }) {
    requireBatchSize(turn, (body.post?.length ?? 0) + (body.patch?.length ?? 0));
    const posts = (body.post ?? []).map((value, index) => ({ value, where: `body.post[${index}]` }));
    const patches = (body.patch ?? []).map((value, index) => ({ value, where: `body.patch[${index}]` }));
    ingest(turn, workspace, { posts, patches });
    return {};
  },

  ingestRunParts(turn, { workspace, body }) {
    const { assumptions, limits } = turn.ports.settings;
    const batch = batchOfParts(body, assumptions["ingest.multipart_lengths"] === "required", limits);
    ingest(turn, workspace, batch);
    for (const { run_id, ...detail } of batch.attachments.slice(0, MAX_NOTED_ATTACHMENTS))
      turn.note("trace.attachment", run_id, detail);
    return {};
  },

  ingestSpans(turn, { workspace, body, headers }) {
    const misspelt = snakeCaseName(body);
    if (misspelt !== undefined)
      throw new Refusal(
        422,
        "invalid_spans",
        `${misspelt}: OTLP/JSON writes names in lowerCamelCase.`,
        `Send ${camelCase(misspelt)}.`,
      );
    const project = headers["langsmith-project"] || undefined;
    const { posts, rejected } = batchOfSpans(body.resourceSpans ?? [], project, (count) =>
      requireBatchSize(turn, count),
    );
    ingest(turn, workspace, { posts, patches: [] });
    if (rejected.length === 0) return {};
    const errorMessage = [...new Set(rejected)].slice(0, 3).join("; ");
    return { partialSuccess: { rejectedSpans: String(rejected.length), errorMessage } };
  },

  updateRun(turn, { workspace, path, body }) {
    ingest(turn, workspace, { posts: [], patches: [{ value: body, where: "body", id: path.run_id }] });
    return {};
  },

  readRun(turn, { workspace, path }) {
    const scope = { region: workspace.region, tenantId: workspace.tenant_id };
    const row = turn.ports.traces.read(scope, path.run_id.toLowerCase());
    if (!row || isDeleted(turn, workspace, row.session_id))
      throw new Refusal(404, "not_found", `Run ${path.run_id} does not exist in this workspace.`);
    return runView(row, turn.ports.settings);
  },
} satisfies Partial<Handlers>;
