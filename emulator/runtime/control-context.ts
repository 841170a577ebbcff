import type { Configuration, ReadyLine } from "../config/configuration.ts";
import { packageVersion } from "../config/package-version.ts";
import { configurationView } from "../config/view.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import { MAIN } from "../http/world-choice.ts";
import { formatInstant } from "../kernel/instant.ts";
import type {
  ControlContext,
  ControlSnapshots,
  ControlWorlds,
  WorldView,
} from "../subjects/control-operation.ts";
import { type NamedWorld, unknownWorld } from "./open-worlds.ts";
import type { SnapshotFiles } from "./snapshot-files.ts";
import type { Snapshots } from "./snapshots.ts";
import type { WorldFacts, Worlds } from "./worlds.ts";

/** The ports that the servers listen on. */
export type PortNumbers = Record<"us" | "eu" | "s3", number>;

/** What the test-only operations of all worlds share. */
export interface SharedContext {
  readonly worlds: Worlds;
  readonly snapshots: Snapshots;
  readonly snapshotFiles: SnapshotFiles;
  readonly configuration: Configuration;
  readonly ports: Readonly<PortNumbers>;
  readonly openStreams: OpenStreams;
}

/** What the test-only operations work on in one world. */
export function contextOf(named: NamedWorld, shared: SharedContext): ControlContext {
  const { worlds, configuration, ports, openStreams } = shared;
  return {
    get world() {
      return named.runtime.world;
    },
    get clock() {
      return named.runtime.clock;
    },
    get oracle() {
      return named.runtime.oracle;
    },
    get recording() {
      return named.recording;
    },
    dryRun: (target) => named.runtime.dryRun(target),
    status: () => ({
      ...readyLine(named, configuration, ports),
      world: named.id,
      clock: named.runtime.world.clock,
      traces: named.runtime.stats(),
      open_streams: openStreams.countIn(named.runtime.world),
      journal_followers: named.runtime.world.journal.followers,
      objects_folder: named.runtime.worldFolder.objects,
      data_folder: configuration.dataFolder,
    }),
    configuration: () => configurationView(configuration),
    reset: (isEmpty) => worlds.reset(named, isEmpty),
    worlds: worldsOf(shared),
    snapshots: snapshotsOf(named, shared),
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

function worldsOf({ worlds, configuration, ports }: SharedContext): ControlWorlds {
  const viewOf = ({ id, from, named }: WorldFacts): WorldView => {
    named?.runtime.clock.sync();
    return {
      id,
      from,
      ...addresses(configuration, ports, id),
      now: named ? formatInstant(named.runtime.world.now) : null,
      clock: named?.runtime.world.clock ?? null,
    };
  };
  const find = (id: string) => {
    const found = worlds.list().find((each) => each.id === id);
    if (!found) throw unknownWorld(id);
    return viewOf(found);
  };
  return {
    list: () => worlds.list().map(viewOf),
    find,
    create: async (request) => viewOf(await worlds.create(request)),
    async remove(id) {
      const view = find(id);
      worlds.remove(id);
      return view;
    },
  };
}

function snapshotsOf(
  named: NamedWorld,
  { worlds, snapshots, snapshotFiles: files }: SharedContext,
): ControlSnapshots {
  return {
    list: snapshots.list,
    save: (name) => snapshots.save(name, named.id, named.runtime),
    load(name) {
      const facts = snapshots.find(name);
      worlds.load(named, name);
      return facts;
    },
    remove: snapshots.remove,
    export: files.export,
    import: files.import,
  };
}

/** An address that stands for all of a machine's leads nowhere; calls of this machine come in here. */
const OWN_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Addresses of a world: those of the process, and for any other than `main` the base path that names it. */
function addresses({ host: bound }: Configuration, ports: Readonly<PortNumbers>, id: string) {
  const base = id === MAIN ? "" : `/w/${id}`;
  const host = OWN_ADDRESS[bound] ?? bound;
  const origin = (port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}${base}`;
  return { url: origin(ports.us), eu_url: origin(ports.eu), s3_url: origin(ports.s3) };
}

/** What an emulator says of itself once it is ready to serve. */
export function readyLine(
  named: NamedWorld,
  configuration: Configuration,
  ports: Readonly<PortNumbers>,
): ReadyLine {
  const { world } = named.runtime;
  return {
    ready: true,
    ...addresses(configuration, ports, named.id),
    pid: process.pid,
    version: packageVersion(),
    seed: world.seed,
    now: formatInstant(world.now),
  };
}
