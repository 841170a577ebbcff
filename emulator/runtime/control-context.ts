import { closeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Profile } from "../../contracts/engine/profile.ts";
import type { RecordingLine } from "../../contracts/engine/recorded.ts";
import type { Configuration } from "../config/configuration.ts";
import { configurationView } from "../config/view.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import { formatInstant } from "../kernel/instant.ts";
import { chunksOf, type OpenedBody } from "../storage/objects/opened-body.ts";
import type { Pool } from "../storage/pool/pool.ts";
import { yieldToEventLoop } from "../storage/yield-to-event-loop.ts";
import { schedulesWithoutDestination } from "../subjects/bulk-exports/schedule.ts";
import type {
  ControlContext,
  ControlSnapshots,
  ControlWorlds,
  WorldPoint,
  WorldView,
} from "../subjects/control-operation.ts";
import type { MissingSecrets, SuppliedSecrets } from "../subjects/snapshot-secrets.ts";
import type { Secrets, World } from "../subjects/turn.ts";
import type { ComparisonProgress } from "../subjects/work-progress.ts";
import { COLLECTIONS } from "./assembly.ts";
import type { ServerAddresses } from "./process/addresses.ts";
import type { FreeSpaceGuard } from "./process/free-space.ts";
import type { SnapshotFiles } from "./snapshots/snapshot-files.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";
import { completedRecords, missingSecrets } from "./snapshots/supplied-secrets.ts";
import { compareWorlds, type WorldAt } from "./worlds/compare/compare.ts";
import { unknownWorld } from "./worlds/names.ts";
import type { NamedWorld } from "./worlds/open-worlds.ts";
import { readParquet } from "./worlds/read-parquet.ts";
import type { WorldRuntime } from "./worlds/runtime.ts";
import { withOwnTime } from "./worlds/world-state.ts";
import type { WorldFacts, Worlds } from "./worlds/worlds.ts";

/** The context that control operations of all worlds share. */
export interface SharedContext {
  readonly pool: Pool;
  readonly worlds: Worlds;
  readonly snapshots: Snapshots;
  readonly snapshotFiles: SnapshotFiles;
  readonly configuration: Configuration;
  readonly addresses: ServerAddresses;
  readonly openStreams: OpenStreams;
  readonly secrets: Secrets;
  readonly freeSpace: FreeSpaceGuard;
  /** Comparisons of worlds in progress. */
  readonly comparisons: Set<ComparisonProgress>;
}

/** The context of control operations in one world; a reset replaces its world. */
export function controlContextOf(openWorld: NamedWorld, shared: SharedContext): ControlContext {
  const { worlds, configuration } = shared;
  const { world, clock, oracle, generations, dryRun, choices, objects } = openWorld.runtime;
  return {
    world,
    clock,
    oracle,
    generations,
    recording: openWorld.recording,
    dryRun,
    status: () => statusOf(openWorld, shared),
    choices,
    configuration: () => configurationView(configuration),
    reset: (isEmpty) => worlds.reset(openWorld, isEmpty),
    rewind: (at, generation) => worlds.rewind(openWorld, at, generation),
    worlds: worldsOf(shared),
    turns: () => turnsUpTo(openWorld.runtime),
    snapshots: snapshotsOf(openWorld, shared),
    supplySecrets: (suppliedSecrets, snapshot) =>
      snapshot === undefined
        ? supplySecretsTo(world, suppliedSecrets, shared.secrets)
        : shared.snapshots.supplySecrets(snapshot, suppliedSecrets),
    readParquet: (object, page) => readParquet(objects.files, object, page, configuration.settings.limits),
    async readBody(body) {
      closeSync((await objects.files.open(body)).fd);
      return chunksWhenRead(() => objects.files.open(body));
    },
    checkExchange: (exchange) => checkRecorded(exchange, configuration.settings.profile),
    yieldToEventLoop,
    pause: (ms) => pause(ms, undefined, { ref: false }),
  };
}

/** Opens a body when its first chunk is read: a reply that is never sent leaves no file open. */
async function* chunksWhenRead(open: () => Promise<OpenedBody>): AsyncGenerator<Uint8Array> {
  yield* chunksOf(await open());
}

/** Loaded on first use. */
async function checkRecorded(exchange: RecordingLine, profile: Profile) {
  const { checkExchange } = await import("../../contracts/targets/expect.ts");
  return checkExchange(exchange, profile);
}

function* turnsUpTo({ world, history }: WorldRuntime) {
  for (const each of history.turns()) if (each.commit.turn <= world.lastTurn) yield each;
}

/** Reads the current runtime, which a reset replaces. */
function statusOf(
  { id, runtime }: NamedWorld,
  { worlds, configuration, addresses, openStreams, freeSpace }: SharedContext,
) {
  const { world } = runtime;
  return {
    ...addresses.readyLine(id, world),
    world: id,
    turn: world.lastTurn,
    generation: worlds.generationOf(id),
    ended_by: world.defect?.message ?? null,
    clock: { ...withOwnTime(world.clock), behind_ms: runtime.clock.behindMs() },
    history: historyView(runtime),
    traces: runtime.stats(),
    open_streams: openStreams.countIn(world),
    schedules_without_destination: schedulesWithoutDestination(world.reader),
    console_needs_token: addresses.consoleToken !== undefined,
    // Streams of runs follow the journal, too.
    journal_followers: world.journal.followers - openStreams.countIn(world),
    objects_folder: runtime.objectsFolder(),
    data_folder: configuration.dataFolder,
    disk_full: freeSpace.isFull(),
  };
}

/** The earliest point for as_of. */
function historyView({ history: { earliest } }: WorldRuntime) {
  return { earliest_turn: earliest.turn, earliest: formatInstant(earliest.now) };
}

function worldsOf({ pool, worlds, addresses, configuration, comparisons }: SharedContext): ControlWorlds {
  const viewOf = ({ id, from, named }: WorldFacts): WorldView => {
    named?.runtime.clock.sync();
    return {
      id,
      from,
      ...addresses.of(id),
      now: named ? formatInstant(named.runtime.world.now) : null,
      clock: named ? withOwnTime(named.runtime.world.clock) : null,
    };
  };
  const find = (id: string) => {
    const facts = worlds.list().find((each) => each.id === id);
    if (!facts) throw unknownWorld(id);
    return viewOf(facts);
  };
  return {
    list: () => worlds.list().map(viewOf),
    find,
    create: async (request) => viewOf(await worlds.create(request)),
    async diff(a, b, isAbandoned) {
      const both = [await worldAt(worlds, a), await worldAt(worlds, b)] as const;
      const maxRows = configuration.settings.limits.compared_rows;
      const progress = { a: a.id, b: b.id, rows: 0, rows_total: 0 };
      comparisons.add(progress);
      try {
        return await compareWorlds({ pool, maxRows, progress, isAbandoned }, both);
      } finally {
        comparisons.delete(progress);
      }
    },
    comparing: () => [...comparisons],
    async remove(id) {
      const view = find(id);
      worlds.remove(id);
      return view;
    },
  };
}

async function worldAt(worlds: Worlds, { id, at }: WorldPoint): Promise<WorldAt> {
  const openWorld = await worlds.ensureReady(id);
  if (!openWorld) throw unknownWorld(id);
  openWorld.runtime.clock.sync();
  return { id, runtime: openWorld.runtime, at };
}

function snapshotsOf(
  openWorld: NamedWorld,
  { worlds, snapshots, snapshotFiles: files }: SharedContext,
): ControlSnapshots {
  return {
    list: snapshots.list,
    save: (name, mayReplace) => snapshots.save(name, openWorld.id, openWorld.runtime, mayReplace),
    load(name) {
      const facts = snapshots.find(name);
      worlds.load(openWorld, name);
      return facts;
    },
    remove: snapshots.remove,
    export: files.export,
    import: files.import,
  };
}

/** Supplies secrets that an imported world lacks, in one turn; returns the secrets that are still missing. */
function supplySecretsTo(world: World, suppliedSecrets: SuppliedSecrets, own: Secrets): MissingSecrets {
  const { records } = world.state();
  // A turn cannot change due events: they get their secrets before their world starts, or never.
  const completed = completedRecords({ records, queue: [] }, suppliedSecrets, own);
  world.turn({ type: "control", name: "supplySecrets" }, (turn) => {
    for (const { collection, record } of completed) {
      const kind = COLLECTIONS.find(({ name }) => name === collection);
      if (kind) turn.put(kind, record as never);
    }
  });
  return missingSecrets(world.state(), own);
}
