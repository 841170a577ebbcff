import { dateTime, integer, object, optional, text, uuid } from "../../../contracts/spec/fields.ts";
import { formatInstant, instantMs } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { DEFAULT_TENANT_ID } from "../auth.ts";
import { type ControlContext, control } from "../control-operation.ts";
import { projectFor } from "../projects/projects.ts";
import type { World } from "../turn.ts";
import { ingest } from "./ingest.ts";
import { sampleTraces } from "./sample.ts";

const ROWS_PER_TURN = 500;
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
    summary: "Ingest realistic sample traces, by default of the last day.",
    body: generateBody,
    async run(context, { body, region }) {
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
      if ("problems" in sample) throw new Refusal(422, "invalid_request", sample.problems.join("; "));
      const project = world.turn(cause(name), (turn) => projectFor(turn, workspace, { sessionName: name }));
      await ingestPosts(context, workspace, name, sample.posts);
      return { count: body.count, project: name, session_id: project.id, ...window, shape };
    },
  }),
] as const;

async function ingestPosts(
  { world, yieldToEventLoop }: ControlContext,
  workspace: { readonly region: string; readonly tenant_id: string },
  project: string,
  posts: Iterable<unknown>,
): Promise<void> {
  let batch: { value: unknown; where: string }[] = [];
  const flush = () => {
    const posts = batch;
    batch = [];
    world.turn(cause(project), (turn) => ingest(turn, workspace, { posts, patches: [] }));
  };
  let index = 0;
  for (const post of posts) {
    batch.push({ value: post, where: `trace[${index}]` });
    index += 1;
    if (batch.length < ROWS_PER_TURN) continue;
    flush();
    await yieldToEventLoop();
  }
  if (batch.length > 0) flush();
}

/** A fresh seed for each call, so that two calls create different rows. */
function nextSeed(world: World): number {
  const id = world.turn(cause("seed"), (turn) => turn.nextId("sample_seed"));
  return Number.parseInt(id.slice(0, 8), 16);
}

function cause(project: string) {
  return { type: "control", name: "traces.generate", ref: project } as const;
}
