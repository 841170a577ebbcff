import { dateTime, integer, object, optional, text, uuid } from "../../../contracts/spec/fields.ts";
import { formatInstant, instantMs } from "../../kernel/instant.ts";
import { invalidRequest } from "../../kernel/refusal.ts";
import { type IsAbandoned, refuseIfAbandoned } from "../abandoned.ts";
import { DEFAULT_TENANT_ID } from "../auth.ts";
import { type ControlContext, control } from "../control-operation.ts";
import { projectFor } from "../projects/projects.ts";
import type { World } from "../turn.ts";
import type { GenerationProgress } from "../work-progress.ts";
import type { Workspace } from "../workspace.ts";
import { type IngestItem, ingest } from "./ingest.ts";
import type { JsonObject } from "./json.ts";
import { sampleTraces } from "./sample.ts";

const ROWS_PER_TURN = 500;
/** Few, because a collection of garbage copies the posts and rows that are in use. */
const ROWS_PER_BATCH = 50;
const DAY_MS = 86_400_000;

const generateBody = object({
  count: integer({ minimum: 1, maximum: 1_000_000 }),
  project: optional(text({ minLength: 1, maxLength: 1024 })),
  from: optional(dateTime()),
  to: optional(dateTime()),
  seed: optional(integer()),
  shape: optional(text()),
  tenant_id: optional(uuid()),
});

/** Control operations for sample traces. */
export const TRACE_OPERATIONS = [
  control({
    method: "POST",
    path: "/traces/generate",
    stores: true,
    summary: "Ingest realistic sample traces, by default of the last 24 hours of virtual time.",
    body: generateBody,
    async run(context, { body, region, raw }) {
      const { world } = context;
      const to = body.to === undefined ? world.now : instantMs(body.to);
      const from = body.from === undefined ? to - DAY_MS : instantMs(body.from);
      const workspace = { region, tenant_id: body.tenant_id?.toLowerCase() ?? DEFAULT_TENANT_ID };
      const name = body.project ?? "samples";
      const window = { from: formatInstant(from), to: formatInstant(to) };
      const shape = body.shape ?? "mixed";
      const sample = sampleTraces({
        count: body.count,
        ...window,
        seed: body.seed ?? nextSeed(world),
        shape,
        sessionName: name,
      });
      if ("problems" in sample) throw invalidRequest(sample.problems.join("; "));
      const project = world.turn(cause(name), (turn) => projectFor(turn, workspace, { sessionName: name }));
      const { posts } = sample;
      await ingestSample(context, raw.isAbandoned, { workspace, project: name, count: body.count, posts });
      return { count: body.count, project: name, session_id: project.id, ...window, shape };
    },
  }),
] as const;

interface Sample {
  readonly workspace: Workspace;
  readonly project: string;
  readonly count: number;
  readonly posts: Iterable<JsonObject>;
}

/** Ends after a turn when the client leaves: the rows up to there stay, as those of any other client. */
async function ingestSample(
  { world, generations, yieldToEventLoop }: ControlContext,
  isAbandoned: IsAbandoned,
  sample: Sample,
): Promise<void> {
  const { workspace, project, count } = sample;
  const posts = sample.posts[Symbol.iterator]();
  const progress: GenerationProgress = { project, rows: 0, rows_total: count };
  generations.add(progress);
  try {
    for (let from = 0; from < count; from += ROWS_PER_TURN) {
      if (from > 0) await yieldToEventLoop();
      refuseIfAbandoned(isAbandoned);
      const to = Math.min(count, from + ROWS_PER_TURN);
      world.turn(cause(project), (turn) => {
        for (const batch of batchesOf(posts, from, to))
          ingest(turn, workspace, { posts: batch, patches: [] });
      });
      progress.rows = to;
    }
  } finally {
    generations.delete(progress);
  }
}

/** Posts `from` to before `to`, made on demand. A batch begins with a root, so that it rarely needs the rows of another. */
function* batchesOf(posts: Iterator<JsonObject>, from: number, to: number): Generator<readonly IngestItem[]> {
  let batch: IngestItem[] = [];
  for (let at = from; at < to; at += 1) {
    const { value } = posts.next();
    if (batch.length >= ROWS_PER_BATCH && value?.parent_run_id === undefined) {
      yield batch;
      batch = [];
    }
    batch.push({ value, where: `trace[${at}]` });
  }
  yield batch;
}

/** A fresh seed for each call, so that two calls create different rows. */
function nextSeed(world: World): number {
  const id = world.turn(cause("seed"), (turn) => turn.nextId("sample_seed"));
  return Number.parseInt(id.slice(0, 8), 16);
}

function cause(project: string) {
  return { type: "control", name: "traces.generate", ref: project } as const;
}
