import { integer, optional, text } from "../../contracts/spec/fields.ts";
import type { Collection } from "../kernel/table.ts";
import { RUNS, THREADS } from "../subjects/agent/records.ts";
import { EXPORT_RUNS, EXPORTS } from "../subjects/bulk-exports/records.ts";
import { type ControlContext, control } from "../subjects/control-operation.ts";
import { CRONS } from "../subjects/crons/records.ts";
import { DESTINATIONS } from "../subjects/destinations/records.ts";
import { FAULTS } from "../subjects/faults/records.ts";
import { buckets, objects } from "../subjects/object-storage/records.ts";
import { PROJECTS } from "../subjects/projects/projects.ts";
import type { World } from "../subjects/turn.ts";
import { DELIVERIES } from "../subjects/webhooks/records.ts";
import { workspacesIn } from "./causes.ts";
import { requestViewer } from "./requests.ts";

/** Something that a search has found. */
export interface Match {
  /** As `GET /why/{id}` accepts it, the number of a turn or of a request. */
  readonly id: string;
  /** What it is, in a few words. */
  readonly text: string;
  /** The export of a run, the turn of a request. */
  readonly of?: string;
}

export interface MatchGroup {
  readonly kind: string;
  readonly matching: number;
  /** The best of them: equal ids, then ids that begin with the text, then the newest. */
  readonly items: readonly Match[];
}

type Source = (context: ControlContext, needle: string) => Iterable<Match>;

function records<T>(kind: Collection<T>, matchOf: (record: T) => Match): Source {
  return function* ({ world }) {
    for (const record of world.reader.list(kind)) yield matchOf(record);
  };
}

/** Everything with an id, by kind, in the order of the reply. */
const SOURCES: Readonly<Record<string, Source>> = {
  export: records(EXPORTS, ({ id, status, start_time }) => ({ id, text: `${status} ${start_time}` })),
  export_run: records(EXPORT_RUNS, ({ id, status, start_time, bulk_export_id }) => ({
    id,
    text: `${status} ${start_time.slice(0, 10)}`,
    of: bulk_export_id,
  })),
  agent_run: records(RUNS, ({ run_id, status, graph_id }) => ({ id: run_id, text: `${status} ${graph_id}` })),
  thread: records(THREADS, ({ thread_id, status }) => ({ id: thread_id, text: status })),
  cron: records(CRONS, ({ cron_id, schedule }) => ({ id: cron_id, text: schedule })),
  delivery: records(DELIVERIES, ({ id, status, run_id }) => ({ id, text: `${status}, of run ${run_id}` })),
  fault: records(FAULTS, ({ id, preset, target }) => ({ id, text: preset ?? target })),
  project: records(PROJECTS, ({ id, name }) => ({ id, text: name })),
  destination: records(DESTINATIONS, ({ id, display_name }) => ({ id, text: display_name })),
  bucket: records(buckets, ({ name }) => ({ id: name, text: "bucket" })),
  object: records(objects, ({ bucket, key, size }) => ({ id: `${bucket}/${key}`, text: `${size} bytes` })),
  row: rowsWith,
  turn: turns,
  request: requests,
};

/** A row has to be named by its whole id: a world may have millions. */
function* rowsWith({ world }: ControlContext, needle: string): Iterable<Match> {
  for (const scope of workspacesIn(world)) {
    const row = world.ports.traces.read(scope, needle);
    if (row) yield { id: needle, text: `trace row of ${scope.tenantId}` };
  }
}

function* requests({ world, recording }: ControlContext): Iterable<Match> {
  const view = requestViewer(world);
  for (const summary of recording.summaries()) {
    const { number, method, path, status, turn } = view(summary);
    yield { id: String(number), text: `${method} ${path} ${status}`, ...(turn && { of: String(turn) }) };
  }
}

function* turns({ world }: { readonly world: World }): Iterable<Match> {
  for (const { turn, cause } of world.journal.upTo(world.lastTurn))
    yield { id: String(turn), text: `${cause.name} ${cause.ref ?? cause.detail?.path ?? ""}`.trim() };
}

const DEFAULT_LIMIT = 5;

/** The matches of a text in ids and texts, whatever the case; kinds with an equal id first. */
function matchesOf(context: ControlContext, text: string, limit = DEFAULT_LIMIT): readonly MatchGroup[] {
  const needle = text.trim().toLowerCase();
  if (needle === "") return [];
  const groups = Object.entries(SOURCES).flatMap(([kind, source]) => {
    const ranks: [Match[], Match[], Match[]] = [[], [], []];
    for (const match of source(context, needle)) {
      const rank = rankOf(match, needle);
      if (rank !== undefined) ranks[rank].push(match);
    }
    const matching = ranks.reduce((sum, { length }) => sum + length, 0);
    const items = ranks.flatMap((rank) => rank.reverse()).slice(0, limit);
    return matching === 0 ? [] : [{ kind, matching, items, isEqual: ranks[0].length > 0 }];
  });
  return groups.sort((a, b) => Number(b.isEqual) - Number(a.isEqual)).map(({ isEqual, ...group }) => group);
}

/** 0 for an equal id, 1 for one that begins with the text, 2 for a text inside; undefined for no match. */
function rankOf({ id, text: words }: Match, needle: string): 0 | 1 | 2 | undefined {
  const name = id.toLowerCase();
  if (name === needle) return 0;
  if (name.startsWith(needle)) return 1;
  return name.includes(needle) || words.toLowerCase().includes(needle) ? 2 : undefined;
}

/** The search of everything in a world. */
export const FIND_OPERATIONS = [
  control({
    method: "GET",
    path: "/find",
    summary:
      "Find everything whose id or name contains a text, by kind: exports, runs, threads, crons, deliveries, faults, projects, destinations, buckets, objects (bucket/key), requests and turns. A trace row is found by its whole id. The reply has at most `limit` matches of each kind, and the number of all.",
    query: {
      text: text({ minLength: 1, maxLength: 300, title: "the text to search" }),
      limit: optional(integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT })),
    },
    run: (context, { query }) => matchesOf(context, query.text, query.limit),
  }),
] as const;
