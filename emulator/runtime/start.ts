import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingHttpHeaders, Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Configuration, ReadyLine } from "../config/configuration.ts";
import { createClientAddresses } from "../http/server/client-address.ts";
import { closeServer, createOrigin, listen } from "../http/server/server.ts";
import { worldChoice } from "../http/world-choice.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Resolved, S3Listener } from "../s3/front/front.ts";
import { createS3Server } from "../s3/front/server.ts";
import type { MissingSecrets } from "../storage/archive/secret-stripping.ts";
import { lockFolder } from "../storage/folder-lock.ts";
import { createSecrets, openSecrets } from "../storage/secrets.ts";
import type { ControlContext } from "../subjects/control-operation.ts";
import type { FaultRule } from "../subjects/faults/records.ts";
import { untriggeredFaults } from "../subjects/faults/rules.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import { type PortNumbers, readyLine } from "./control-context.ts";
import { type EmulatorRuntime, openEmulatorRuntime } from "./emulator-runtime.ts";
import { createFreeSpaceGuard } from "./free-space.ts";
import type { NamedWorld, OpenWorlds } from "./open-worlds.ts";
import type { Worlds } from "./worlds.ts";

/** An emulator that serves, until it is closed. */
export interface RunningEmulator {
  readonly ready: ReadyLine;
  /** What the world main has no secrets for, when it was read from a file. */
  readonly missing: MissingSecrets | undefined;
  /** Answers a request without a socket. */
  handle(request: HttpRequest): Promise<HttpReply>;
  /** What the test-only operations work on in the world main, for callers in the same process. */
  readonly control: ControlContext;
  /** A world that is in use; undefined when there is none of this name. */
  world(id: string): NamedWorld | undefined;
  /** Where the bodies of the embedded object store lie. */
  readonly objectsFolder: string;
  /** Armed faults that never struck: under `--strict` their user wants to know. */
  untriggeredFaults(): readonly FaultRule[];
  /** Settles with what has ended a world of this emulator, when something does (law 6). */
  readonly defect: EmulatorRuntime["defect"];
  /** Takes no more requests, saves the state and lets go of the data folder. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 1000;

/** The composition root: the only place that knows every adapter. */
export async function start(configuration: Configuration): Promise<RunningEmulator> {
  const folder = await acquireFolder(configuration, (reason) => endWorlds(emulatorRuntime?.worlds, reason));
  const ports: PortNumbers = { us: 0, eu: 0, s3: 0 };
  let emulatorRuntime: EmulatorRuntime | undefined;
  let servers: Readonly<Record<keyof PortNumbers, Server>> | undefined;

  async function closeServers(): Promise<void> {
    await Promise.all(Object.values(servers ?? {}).map((server) => closeServer(server, CLOSE_GRACE_MS)));
  }

  async function close(): Promise<void> {
    await closeServers();
    await emulatorRuntime?.close();
    await folder.release();
  }

  /** All is saved before anybody hears that a file could not be written. */
  async function exportAndClose(): Promise<void> {
    await closeServers();
    const [exportResult] = await Promise.allSettled([emulatorRuntime?.exportOnExit()]);
    await close();
    if (exportResult?.status === "rejected") throw exportResult.reason;
  }

  try {
    const secrets = configuration.dataFolder === null ? createSecrets() : openSecrets(folder.path);
    emulatorRuntime = openEmulatorRuntime({ configuration, folder: folder.path, secrets, ports });
    const { main, missing } = await emulatorRuntime.openMain();
    const handle = handlerOf(emulatorRuntime, folder.path);
    servers = serversOf(emulatorRuntime, configuration, handle);
    await listenOn(servers, ports, configuration);
    const ready = readyLine(main, configuration, ports);
    return running(emulatorRuntime, main, { ready, missing, handle, close: exportAndClose });
  } catch (error) {
    await close();
    throw error;
  }
}

function running(
  { worlds, open, controlOf, defect }: EmulatorRuntime,
  main: NamedWorld,
  rest: Pick<RunningEmulator, "ready" | "missing" | "handle" | "close">,
): RunningEmulator {
  return {
    ...rest,
    control: controlOf(main),
    world: open.find,
    get objectsFolder() {
      return main.runtime.worldFolder.objects;
    },
    untriggeredFaults: () =>
      worlds.list().flatMap(({ named }) => (named ? untriggeredFaults(named.runtime.world.reader) : [])),
    defect,
  };
}

interface LockedFolder {
  readonly path: string;
  release(): Promise<void>;
}

/** The data folder, locked; or a temporary one that goes when it is released. */
async function acquireFolder(
  { dataFolder }: Configuration,
  onLost: (reason: string) => void,
): Promise<LockedFolder> {
  if (dataFolder !== null) {
    const { release } = await lockFolder(dataFolder, onLost);
    return { path: dataFolder, release };
  }
  const path = mkdtempSync(join(tmpdir(), "emulator-"));
  return { path, release: () => rm(path, { recursive: true, force: true }) };
}

function endWorlds(worlds: Worlds | undefined, reason: string): void {
  for (const { named } of worlds?.list() ?? [])
    named?.runtime.world.end(new Refusal(503, "data_folder_lost", reason));
}

function handlerOf({ router }: EmulatorRuntime, folder: string): RunningEmulator["handle"] {
  const freeSpace = createFreeSpaceGuard(folder);
  return (request) => router.handle(freeSpace.checked(request));
}

function serversOf(
  { open }: EmulatorRuntime,
  { settings }: Configuration,
  handle: RunningEmulator["handle"],
): Record<keyof PortNumbers, Server> {
  const maxBodyBytes = () => settings.limits.body_bytes;
  const clientAddresses = createClientAddresses(settings.rateLimits.trusted_proxies);
  return {
    us: createOrigin({ region: "us", maxBodyBytes, clientAddresses, handle }),
    eu: createOrigin({ region: "eu", maxBodyBytes, clientAddresses, handle }),
    s3: createObjectStorageOrigin(open),
  };
}

/** The US port is the first of three neighbours; 0 takes any three. */
async function listenOn(
  servers: Readonly<Record<keyof PortNumbers, Server>>,
  ports: PortNumbers,
  { port, host }: Configuration,
): Promise<void> {
  const wanted = { us: port, eu: port && port + 1, s3: port && port + 2 };
  for (const name of ["s3", "eu", "us"] as const)
    ports[name] = await listen(servers[name], wanted[name], host);
}

/** The S3 server is loaded with its first request: most uses of an emulator never open its port. */
function createObjectStorageOrigin(worlds: OpenWorlds): Server {
  let front: Promise<S3Listener> | undefined;
  return createS3Server((request, response) => {
    front ??= loadS3Front(worlds);
    void front.then((answer) => answer(request, response));
  });
}

async function loadS3Front(worlds: OpenWorlds): Promise<S3Listener> {
  const { createS3Front } = await import("../s3/front/front.ts");
  return createS3Front({ wallNow: Date.now, resolve: (url, headers) => storeFor(worlds, url, headers) });
}

async function storeFor(
  worlds: OpenWorlds,
  url: string,
  headers: IncomingHttpHeaders,
): Promise<Resolved | undefined> {
  const { id, basePath } = worldChoice(url, headers);
  const named = worlds.find(id) ?? (await worlds.ensureOpen(id));
  while (named?.seeding) await named.seeding;
  named?.runtime.clock.sync();
  return named && { store: named.runtime.objects, basePath };
}
