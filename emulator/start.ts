import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageVersion } from "./adapters/config/package-version.ts";
import { configurationView } from "./adapters/config/view.ts";
import { lockFolder } from "./adapters/folder-lock.ts";
import { createClientAddresses } from "./adapters/http/client-address.ts";
import { closeServer, createOrigin, listen } from "./adapters/http/server.ts";
import { CODECS } from "./adapters/otlp/codecs.ts";
import type { S3Listener } from "./adapters/s3/front/front.ts";
import { createS3Server } from "./adapters/s3/front/server.ts";
import { createSecrets, openSecrets } from "./adapters/secrets.ts";
import { seedWorld } from "./adapters/seed.ts";
import type { Configuration, ReadyLine } from "./configuration.ts";
import type { ControlContext } from "./control/operation.ts";
import { CONTROL_PREFIX } from "./control/prefix.ts";
import { createRecording, type Recording } from "./control/recording.ts";
import { type FaultRule, unstruckFaults } from "./domain/faults/rules.ts";
import type { Followers } from "./http/followers.ts";
import { createGateway } from "./http/gateway.ts";
import { isLoopback } from "./http/loopback.ts";
import type { HttpReply, HttpRequest } from "./http/message.ts";
import { formatInstant } from "./kernel/instant.ts";
import { Refusal } from "./kernel/refusal.ts";
import { HANDLERS } from "./operations/index.ts";
import { openSite, type Site } from "./site.ts";

export interface RunningEmulator {
  readonly ready: ReadyLine;
  /** Answers a request without a socket. */
  handle(request: HttpRequest): Promise<HttpReply>;
  /** What the test-only operations work on, for callers in the same process. */
  readonly control: ControlContext;
  /** Where the bodies of the embedded object store lie. */
  readonly objectsFolder: string;
  /** Armed faults that never struck: under `--strict` their user wants to know. */
  unstruckFaults(): readonly FaultRule[];
  /** Takes no more requests, saves the state and lets go of the data folder. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 1000;

/** The composition root: the only place that knows every adapter. */
export async function start(configuration: Configuration): Promise<RunningEmulator> {
  const folder = configuration.dataFolder ?? mkdtempSync(join(tmpdir(), "emulator-"));
  const lock =
    configuration.dataFolder === null
      ? undefined
      : await lockFolder(folder, (reason) => site.world.end(new Refusal(503, "data_folder_lost", reason)));
  const ports = { us: 0, eu: 0, s3: 0 };
  const gateway = createGateway(HANDLERS, CODECS);
  const site: Site = openSite({
    configuration,
    folder: join(folder, "worlds", "main"),
    secrets: lock ? openSecrets(folder) : createSecrets(),
    isEmbedded: (endpointUrl) => isEmbedded(endpointUrl, ports.s3),
    handle: (request) => handle(request),
  });
  const recording = createRecording(site.fresh);
  const control = controlOf(
    site,
    configuration,
    ports,
    (empty) => seedWorld(site.world, gateway, empty ? undefined : configuration.seedData),
    gateway.followers,
    recording,
  );

  function handle(request: HttpRequest): Promise<HttpReply> {
    site.clock.sync();
    const { now } = site.world;
    const reply = request.path.startsWith(CONTROL_PREFIX)
      ? answerControl(control, request, configuration)
      : gateway.handle(site.world, request, site.clock);
    recording.take(request, now, reply);
    return reply;
  }

  const maxBodyBytes = () => configuration.settings.limits.body_bytes;
  const clientAddresses = createClientAddresses(configuration.settings.rateLimits.trusted_proxies);
  const servers: Record<keyof typeof ports, Server> = {
    us: createOrigin({ region: "us", maxBodyBytes, clientAddresses, handle }),
    eu: createOrigin({ region: "eu", maxBodyBytes, clientAddresses, handle }),
    s3: createObjectStorageOrigin(site),
  };

  async function close(): Promise<void> {
    await Promise.all(Object.values(servers).map((server) => closeServer(server, CLOSE_GRACE_MS)));
    await site.close();
    await lock?.release();
    if (!lock) await rm(folder, { recursive: true, force: true });
  }

  try {
    if (site.fresh) await seedWorld(site.world, gateway, configuration.seedData);
    await listenOn(servers, ports, configuration);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ready: readyLine(site, configuration, ports),
    handle,
    control,
    objectsFolder: site.objectsFolder,
    unstruckFaults: () => unstruckFaults(site.world.reader),
    close,
  };
}

/** The test-only operations are loaded with the first request for one. */
async function answerControl(
  control: ControlContext,
  request: HttpRequest,
  { allowedHosts }: Configuration,
): Promise<HttpReply> {
  const { handleControl } = await import("./control/gateway.ts");
  return handleControl(control, request, allowedHosts);
}

type Ports = Record<"us" | "eu" | "s3", number>;

/** The US port is the first of three neighbours; 0 takes any three. */
async function listenOn(servers: Record<keyof Ports, Server>, ports: Ports, { port, host }: Configuration) {
  const wanted = { us: port, eu: port && port + 1, s3: port && port + 2 };
  for (const name of ["s3", "eu", "us"] as const)
    ports[name] = await listen(servers[name], wanted[name], host);
}

/** The S3 server is loaded with its first request: most uses of an emulator never open its port. */
function createObjectStorageOrigin(site: Site): Server {
  let front: Promise<S3Listener> | undefined;
  return createS3Server((request, response) => {
    front ??= loadS3Front(site);
    void front.then((answer) => answer(request, response));
  });
}

async function loadS3Front(site: Site): Promise<S3Listener> {
  const { createS3Front } = await import("./adapters/s3/front/front.ts");
  return createS3Front({
    wallNow: Date.now,
    resolve() {
      site.clock.sync();
      return { store: site.objects, basePath: "" };
    },
  });
}

function isEmbedded(endpointUrl: string | null, s3Port: number): boolean {
  if (endpointUrl === null) return true;
  if (!URL.canParse(endpointUrl)) return false;
  const { hostname, port } = new URL(endpointUrl);
  return isLoopback(hostname) && Number(port) === s3Port;
}

function readyLine(site: Site, { host }: Configuration, ports: Ports): ReadyLine {
  const origin = (port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    ready: true,
    url: origin(ports.us),
    eu_url: origin(ports.eu),
    s3_url: origin(ports.s3),
    pid: process.pid,
    version: packageVersion(),
    seed: site.world.seed,
    now: formatInstant(site.world.now),
  };
}

function controlOf(
  site: Site,
  configuration: Configuration,
  ports: Ports,
  seed: (empty: boolean) => Promise<void>,
  followers: Followers,
  recording: Recording,
): ControlContext {
  return {
    get world() {
      return site.world;
    },
    get clock() {
      return site.clock;
    },
    oracle: site.oracle,
    recording,
    rehearse: (target) => site.rehearse(target),
    status: () => ({
      ...readyLine(site, configuration, ports),
      now: formatInstant(site.world.now),
      clock: site.world.clock,
      traces: site.stats(),
      open_streams: followers.open,
      journal_followers: site.world.journal.followers,
      objects_folder: site.objectsFolder,
      data_folder: configuration.dataFolder,
    }),
    configuration: () => configurationView(configuration),
    async reset(empty) {
      await site.restart();
      recording.clear();
      await seed(empty);
    },
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
