import type { Configuration } from "../config/configuration.ts";
import { createGateway } from "../http/gateway.ts";
import { isLoopback } from "../http/loopback.ts";
import { CODECS } from "../http/otlp/codecs.ts";
import { MAIN } from "../http/world-choice.ts";
import type { Missing } from "../storage/archive/hiding.ts";
import { openHomes } from "../storage/folders/homes.ts";
import { createFileEncoder } from "../storage/parquet/encoder.ts";
import type { ControlContext } from "../subjects/control-operation.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { Secrets } from "../subjects/turn.ts";
import { contextOf, type PortNumbers } from "./control-context.ts";
import { type Breakdown, createDefectWatch } from "./defect.ts";
import { HANDLERS } from "./handlers.ts";
import { createOpenWorlds, type NamedWorld, type OpenWorlds } from "./open-worlds.ts";
import { seedWorld } from "./seed.ts";
import { createSnapshotFiles } from "./snapshot-files.ts";
import { createSnapshots } from "./snapshots.ts";
import { createReception, type Reception } from "./world-router.ts";
import { openSite } from "./world-runtime.ts";
import { createWorlds, type Worlds } from "./worlds.ts";

/** All that lives in one data folder, before any port is open. */
export interface House {
  readonly worlds: Worlds;
  readonly open: OpenWorlds;
  readonly reception: Reception;
  /** Settles with what has ended a world, when something does (law 6). */
  readonly defect: Promise<Breakdown>;
  /** What the test-only operations work on in a world. */
  controlOf(world: NamedWorld): ControlContext;
  /** Opens the world `main`: as the data folder has it, as a file has it, or anew. */
  begin(): Promise<Begun>;
  /** Writes the file that the configuration wants of the world `main` at the end. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** The world `main`, and what it has no secrets for when it was read from a file. */
export interface Begun {
  readonly main: NamedWorld;
  readonly missing: Missing | undefined;
}

/** What the worlds of a process are opened with. */
export interface HouseOptions {
  readonly configuration: Configuration;
  /** The data folder, or one that goes with the process. */
  readonly folder: string;
  readonly secrets: Secrets;
  /** Filled when the servers listen. */
  readonly ports: Readonly<PortNumbers>;
}

/** Opens the worlds of a data folder, with all that they share. */
export function openHouse({ configuration, folder, secrets, ports }: HouseOptions): House {
  const gateway = createGateway(HANDLERS, CODECS);
  const homes = openHomes({ root: folder, isKept: configuration.dataFolder !== null });
  const encoder = createFileEncoder();
  const defects = createDefectWatch();
  const snapshots = createSnapshots(configuration, homes);
  const open = createOpenWorlds({
    homes,
    stills: snapshots,
    open(id, home, origin) {
      const site = openSite({
        configuration: { ...configuration, ...homes.registry.worlds[id]?.beginning },
        home,
        ...(origin && { origin }),
        secrets,
        encoder,
        isEmbedded: (endpointUrl) => isEmbedded(endpointUrl, ports.s3, id),
        heirs: () => homes.heirsOf(home.objects),
        handle: (request: HttpRequest) => reception.handleIn(open.find(id) as NamedWorld, request),
      });
      defects.watch(site.world);
      return site;
    },
    seed: ({ world }, isEmpty) => seedWorld(world, gateway, isEmpty ? undefined : configuration.seedData),
  });
  const worldsMax = configuration.settings.limits.worlds;
  const worlds = createWorlds({ homes, stills: snapshots, open, worldsMax });
  const bytesMax = configuration.settings.limits.snapshot_bytes;
  const snapshotFiles = createSnapshotFiles({ homes, secrets, bytesMax, snapshots });
  const context = { worlds, snapshots, snapshotFiles, configuration, ports, followers: gateway.followers };
  const controlOf = (world: NamedWorld) => contextOf(world, context);
  const { allowedHosts } = configuration;
  const reception = createReception({ worlds: open, gateway, allowedHosts, controlOf });

  return {
    worlds,
    open,
    reception,
    defect: defects.first,
    controlOf,
    async begin() {
      const { importFile, exportFile } = configuration;
      const hasFiles = importFile !== null || exportFile !== null;
      const missing = hasFiles
        ? await (await import("./main-file.ts")).beginMain({ ...context, homes, open })
        : undefined;
      return { main: (await open.wake(MAIN)) as NamedWorld, missing };
    },
    async leave() {
      if (configuration.exportFile !== null)
        await (await import("./main-file.ts")).exportMain({ ...context, homes, open });
    },
    async close() {
      await open.close();
      await encoder.close();
      await homes.settle();
    },
  };
}

/** A loopback address of the S3 port is the world's own store, unless it names another world. */
function isEmbedded(endpointUrl: string | null, s3Port: number, id: string): boolean {
  if (endpointUrl === null) return true;
  if (!URL.canParse(endpointUrl)) return false;
  const { hostname, port, pathname } = new URL(endpointUrl);
  if (!isLoopback(hostname) || Number(port) !== s3Port) return false;
  const path = pathname.replace(/\/$/, "");
  return path === "" || path === `/w/${id}` || !path.startsWith("/w/");
}
