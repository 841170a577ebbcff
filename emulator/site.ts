import { join } from "node:path";
import { COLLECTIONS, REACTIONS } from "./assembly.ts";
import { type Clock, startClock } from "./adapters/clock.ts";
import { createSchedules } from "./adapters/crons/schedules.ts";
import { exportEffects } from "./adapters/effects/exports.ts";
import { REQUEST_EFFECTS } from "./adapters/effects/requests.ts";
import { createFileEncoder } from "./adapters/parquet/encoder.ts";
import { createDoors } from "./adapters/s3/doors/doors.ts";
import { openObjectFiles } from "./adapters/s3/object-files.ts";
import { type ObjectStore, objectStorageParts } from "./adapters/s3/object-store.ts";
import { openStore } from "./adapters/store/store.ts";
import { openTraceStore } from "./adapters/traces/store.ts";
import { createWebhookSender } from "./adapters/webhooks/effects.ts";
import type { Configuration } from "./configuration.ts";
import type { Oracle } from "./control/operation.ts";
import { strikeS3 } from "./domain/faults/s3.ts";
import { createDelays } from "./domain/object-storage/delays.ts";
import type { Ports, Secrets, World } from "./domain/turn.ts";
import type { HttpReply, HttpRequest } from "./http/message.ts";
import { emptyState, type WorldState } from "./kernel/commit.ts";
import { Refusal } from "./kernel/refusal.ts";
import { createWorld } from "./kernel/world.ts";

/** One world with everything that it works with: what is kept, what drives it, what it reaches outside. */
export interface Site {
  readonly world: World;
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly oracle: Oracle;
  /** Where the bodies of objects lie, for a person who wants to open them. */
  readonly objectsFolder: string;
  stats(): { readonly rows: number; readonly bytes: number };
  /** True until the world has been given what a fresh one holds. */
  readonly fresh: boolean;
  /** Empties everything and starts at the beginning. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly configuration: Configuration;
  readonly folder: string;
  readonly secrets: Secrets;
  readonly isEmbedded: Ports["isEmbedded"];
  /** Answers a request of the emulator to itself (§6.1, relative webhooks). */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
}

const JOURNAL_CAPACITY = 10_000;

/** Opens the world of a folder, as it was left. */
export function openSite({ configuration, folder, secrets, isEmbedded, handle }: SiteOptions): Site {
  const { settings } = configuration;
  const initial = initialState(configuration);
  const traceFolder = join(folder, "traces");
  const objectsFolder = join(folder, "objects");
  const store = configuration.dataFolder === null ? undefined : openStore({ folder, initial });
  const traces = openTraceStore({ folder: traceFolder });
  const encoder = createFileEncoder({ folder: traceFolder });
  const files = openObjectFiles(objectsFolder);
  const delays = createDelays();
  const storage = objectStorageParts(files, delays);
  const webhooks = createWebhookSender({ settings, handle });
  const ports: Ports = { settings, traces, secrets, schedules: createSchedules(), isEmbedded };

  let world = build(present(store?.state ?? initial, configuration));
  let clock = startClock(world);
  const objects: ObjectStore = {
    get world() {
      return world;
    },
    files,
    delays,
    strike: strikeS3,
  };
  const doors = createDoors({ store: objects, timeoutMs: settings.timings.object_store_timeout_ms });
  files.recover(world.reader);
  world.recover();

  function build(state: WorldState): World {
    return createWorld<Ports>({
      state,
      ports,
      collections: [...COLLECTIONS, ...storage.collections],
      reactions: { ...REACTIONS, ...storage.reactions },
      effects: {
        ...storage.effects,
        ...webhooks.effects,
        ...REQUEST_EFFECTS,
        ...exportEffects({ encoder, secrets, doors: { open: (...door) => doors.open(...door) } }),
      },
      keep: (commit) => store?.keep(commit),
      journalCapacity: JOURNAL_CAPACITY,
    });
  }

  return {
    get world() {
      return world;
    },
    get clock() {
      return clock;
    },
    objects,
    oracle: {
      async verify(exportId) {
        const { createOracle } = await import("./adapters/oracle/oracle.ts");
        return createOracle({ world: () => world, traceFolder, doors, secrets, objects }).verify(exportId);
      },
    },
    objectsFolder,
    stats: () => traces.stats(),
    get fresh() {
      return world.state().turn === 0;
    },
    async restart() {
      clock.close();
      world.end(new Refusal(409, "reset", "The world was reset while this request was under way."));
      traces.clear();
      files.clear();
      const state = initialState(configuration);
      store?.replace(state);
      world = build(state);
      clock = startClock(world);
    },
    async close() {
      clock.close();
      const last = world.state();
      world.end(new Refusal(503, "closing", "The emulator is stopping."));
      webhooks.close();
      await encoder.close();
      doors.close();
      traces.close();
      await store?.close(last);
    },
  };
}

function initialState({ seed, now, clock }: Configuration): WorldState {
  return emptyState(seed, now ?? Date.now(), clock);
}

/** A world that was left goes on: a flowing clock with the wall's time, never backwards. */
function present(state: WorldState, { clock, now }: Configuration): WorldState {
  if (state.turn === 0) return state;
  const wall = clock.mode === "flowing" ? Date.now() : state.now;
  return { ...state, clock, now: Math.max(state.now, now ?? wall) };
}
