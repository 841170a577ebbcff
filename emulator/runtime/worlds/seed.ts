import { promises } from "node:fs";
import { parseStorable, printExact } from "../../../contracts/spec/exact-json.ts";
import { linesOf } from "../../client/send.ts";
import type { SeedData, SeedKey } from "../../config/configuration.ts";
import type { Gateway } from "../../http/gateway.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../../subjects/auth.ts";
import { createBucket } from "../../subjects/object-storage/buckets.ts";
import { changeCredential, createCredential } from "../../subjects/object-storage/credentials.ts";
import { SEEDED_BUCKET, SEEDED_KEY, seedObjectStorage } from "../../subjects/object-storage/seed.ts";
import { projectFor } from "../../subjects/projects/projects.ts";
import { ingest } from "../../subjects/traces/ingest.ts";
import type { Turn, World } from "../../subjects/turn.ts";
import type { OnDemand } from "../on-demand.ts";

const WORKSPACE = { region: "us", tenant_id: DEFAULT_TENANT_ID };
const ROWS_PER_TURN = 500;

/** Gives a fresh world its bucket and key pair, and what the configuration adds to them. */
export async function seedWorld(
  world: World,
  onDemand: () => Pick<OnDemand, "gateway"> | Promise<Pick<OnDemand, "gateway">>,
  data: SeedData | undefined,
): Promise<void> {
  seedTurn(world, "standard", seedObjectStorage);
  if (!data) return;
  seedTurn(world, "configured", (turn) => {
    for (const name of data.buckets) if (name !== SEEDED_BUCKET) createBucket(turn, name);
    for (const key of data.keys) seedKey(turn, key);
    for (const sessionName of data.projects) projectFor(turn, WORKSPACE, { sessionName });
  });
  for (const { file, project } of data.traces) await seedTraces(world, file, project);
  for (const destination of data.destinations)
    await seedDestination(world, (await onDemand()).gateway, destination);
}

/** The standard pair is there already: a key of its name says what it may do. */
function seedKey(turn: Turn, key: SeedKey): void {
  const { access_key_id, ...rest } = key;
  if (access_key_id === SEEDED_KEY.access_key_id) changeCredential(turn, access_key_id, rest);
  else createCredential(turn, key);
}

async function seedTraces(world: World, file: string, project: string): Promise<void> {
  const posts = runsIn(await promises.readFile(file, "utf8"), file);
  for (let from = 0; from < posts.length; from += ROWS_PER_TURN) {
    const batch = posts.slice(from, from + ROWS_PER_TURN).map((run, index) => ({
      value: { ...(run as object), session_id: undefined, session_name: project },
      where: `${file}[${from + index}]`,
    }));
    seedTurn(world, file, (turn) => ingest(turn, WORKSPACE, { posts: batch, patches: [] }));
  }
}

/** A JSON array, a batch body (`{"post":[…]}`), or one run a line. */
function runsIn(text: string, file: string): readonly unknown[] {
  if (file.endsWith(".ndjson")) return linesOf(text, (line) => parseStorable(line, file));
  const value = parseStorable(text, file);
  return Array.isArray(value) ? value : ((value as { post?: readonly unknown[] }).post ?? []);
}

async function seedDestination(
  world: World,
  gateway: Gateway,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const reply = await gateway.handle(world, {
    region: WORKSPACE.region,
    method: "POST",
    path: "/api/v1/bulk-exports/destinations",
    query: "",
    headers: {
      "content-type": "application/json",
      "x-api-key": DEFAULT_API_KEY,
      "x-tenant-id": WORKSPACE.tenant_id,
    },
    body: new TextEncoder().encode(printExact(body)),
    address: "",
  });
  if (reply.status !== 200)
    throw new Error(
      `The destination ${String(body.display_name)} of seed_data was refused: ${String(reply.body)}`,
    );
}

function seedTurn(world: World, ref: string, act: (turn: Turn) => void): void {
  world.turn({ type: "start", name: "seed", ref }, act);
}
