import type { Configuration } from "../config/configuration.ts";
import { createGateway } from "../http/gateway.ts";
import { isLoopback } from "../http/loopback.ts";
import { CODECS } from "../http/otlp/codecs.ts";
import { MAIN } from "../http/world-choice.ts";
import type { MissingSecrets } from "../storage/archive/secret-stripping.ts";
import { openDataDirectory } from "../storage/folders/data-directory.ts";
import { createFileEncoder } from "../storage/parquet/encoder.ts";
import type { ControlContext } from "../subjects/control-operation.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { Secrets } from "../subjects/turn.ts";
import { HANDLERS } from "./assembly.ts";
import { contextOf, type PortNumbers } from "./control-context.ts";
import { createDefectWatch, type WorldDefect } from "./defect.ts";
import { createOpenWorlds, type NamedWorld, type OpenWorlds } from "./open-worlds.ts";
import { createWorldRouter, type WorldRouter } from "./router.ts";
import { seedWorld } from "./seed.ts";
import { createSnapshotFiles } from "./snapshot-files.ts";
import { createSnapshots } from "./snapshots.ts";
import { openWorldRuntime } from "./world-runtime.ts";
import { createWorlds, type Worlds } from "./worlds.ts";

/** All that lives in one data folder, before any port is open. */
export interface EmulatorRuntime {
  readonly worlds: Worlds;
  readonly open: OpenWorlds;
  readonly router: WorldRouter;
  /** Settles with what has ended a world, when something does (law 6). */
  readonly defect: Promise<WorldDefect>;
  /** What the test-only operations work on in a world. */
  controlOf(world: NamedWorld): ControlContext;
  /** Opens the world `main`: as the data folder has it, as a file has it, or anew. */
  openMain(): Promise<OpenedMain>;
  /** Writes the file that the configuration wants of the world `main` at the end. */
  exportOnExit(): Promise<void>;
  close(): Promise<void>;
}

/** The world `main`, and what it has no secrets for when it was read from a file. */
export interface OpenedMain {
  readonly main: NamedWorld;
  readonly missing: MissingSecrets | undefined;
}

/** What the worlds of a process are opened with. */
export interface EmulatorRuntimeOptions {
  readonly configuration: Configuration;
  /** The data folder, or one that goes with the process. */
  readonly folder: string;
  readonly secrets: Secrets;
  /** Filled when the servers listen. */
  readonly ports: Readonly<PortNumbers>;
}

/** Opens the worlds of a data folder, with all that they share. */
export function openEmulatorRuntime({
  configuration,
  folder,
  secrets,
  ports,
}: EmulatorRuntimeOptions): EmulatorRuntime {
  const gateway = createGateway(HANDLERS, CODECS);
  const dataDirectory = openDataDirectory({ root: folder, isKept: configuration.dataFolder !== null });
  const encoder = createFileEncoder();
  const defects = createDefectWatch();
  const snapshots = createSnapshots(configuration, dataDirectory);
  const open = createOpenWorlds({
    dataDirectory,
    snapshotStore: snapshots,
    open(id, worldFolder, forkedState) {
      const runtime = openWorldRuntime({
        configuration: { ...configuration, ...dataDirectory.registry.worlds[id]?.beginning },
        worldFolder,
        ...(forkedState && { forkedState }),
        secrets,
        encoder,
        isEmbedded: (endpointUrl) => isEmbedded(endpointUrl, ports.s3, id),
        forks: () => dataDirectory.forksOf(worldFolder.objects),
        handle: (request: HttpRequest) => router.handleIn(open.find(id) as NamedWorld, request),
      });
      defects.watch(runtime.world);
      return runtime;
    },
    seed: ({ world }, isEmpty) => seedWorld(world, gateway, isEmpty ? undefined : configuration.seedData),
  });
  const worldsMax = configuration.settings.limits.worlds;
  const worlds = createWorlds({ dataDirectory, snapshotStore: snapshots, open, worldsMax });
  const bytesMax = configuration.settings.limits.snapshot_bytes;
  const snapshotFiles = createSnapshotFiles({ dataDirectory, secrets, bytesMax, snapshots });
  const context = {
    worlds,
    snapshots,
    snapshotFiles,
    configuration,
    ports,
    openStreams: gateway.openStreams,
  };
  const controlOf = (world: NamedWorld) => contextOf(world, context);
  const { allowedHosts } = configuration;
  const router = createWorldRouter({ worlds: open, gateway, allowedHosts, controlOf });

  return {
    worlds,
    open,
    router,
    defect: defects.first,
    controlOf,
    async openMain() {
      const { importFile, exportFile } = configuration;
      const hasFiles = importFile !== null || exportFile !== null;
      const missing = hasFiles
        ? await (await import("./main-file.ts")).beginMain({ ...context, dataDirectory, open })
        : undefined;
      return { main: (await open.ensureOpen(MAIN)) as NamedWorld, missing };
    },
    async exportOnExit() {
      if (configuration.exportFile !== null)
        await (await import("./main-file.ts")).exportMain({ ...context, dataDirectory, open });
    },
    async close() {
      await open.close();
      await encoder.close();
      await dataDirectory.whenDeleted();
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
