import type { IncomingHttpHeaders } from "node:http";
import { fileURLToPath } from "node:url";
import type { Configuration } from "../config/configuration.ts";
import { asOfChoice } from "../http/as-of-choice.ts";
import { createBrowserGuard } from "../http/server/browser-guard.ts";
import { createClientAddresses } from "../http/server/client-address.ts";
import { closeServer, createOrigin, listen } from "../http/server/server.ts";
import { worldChoice } from "../http/world-choice.ts";
import { lazily } from "../kernel/lazily.ts";
import type { Resolved, S3FrontOptions, S3Listener } from "../s3/front/front.ts";
import { createS3Server } from "../s3/front/server.ts";
import { splitTarget } from "../s3/front/target.ts";
import { builtUrl } from "../storage/thread-url.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import type { Engine } from "./engine.ts";
import type { PortNumbers } from "./process/addresses.ts";
import { boundConnections } from "./process/descriptors.ts";
import type { FreeSpaceGuard } from "./process/free-space.ts";
import type { Worlds } from "./worlds/worlds.ts";

/** The servers of a process: one for each region, and that of the object store. */
export type Servers = ReturnType<typeof createServers>;

const CLOSE_GRACE_MS = 1000;

/** What the servers of a process are made with; `connections` bounds those of all of them together. */
export interface ServersParts {
  readonly freeSpace: FreeSpaceGuard;
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
  readonly openEngine: () => Promise<Pick<Engine, "worlds" | "onDemand">>;
  readonly connections: number;
  readonly consoleToken: string | undefined;
}

/** Servers that do not listen yet. */
export function createServers(
  { settings, port, host, allowedHosts, corsOrigins }: Configuration,
  { freeSpace, handle, openEngine, connections, consoleToken }: ServersParts,
) {
  const { limits } = settings;
  const clientAddresses = createClientAddresses(settings.rateLimits.trusted_proxies);
  const guard = createBrowserGuard({ allowedHosts, corsOrigins, consoleToken });
  const consoleFolder = fileURLToPath(builtUrl("console/"));
  const shared = { limits, clientAddresses, guard, consoleFolder, handle };
  const us = createOrigin({ region: "us", ...shared });
  const eu = createOrigin({ region: "eu", ...shared });
  const s3 = createS3Server(
    limits.request_headers,
    s3Listener(openEngine, { guard, requireRoom: freeSpace.requireSpace }),
  );
  boundConnections([us, eu, s3], connections);
  return {
    /** The US port is the first of three neighbours; 0 takes any three. */
    async listen(): Promise<PortNumbers> {
      // The US region listens last: whoever reaches it reaches the others too.
      const others = await Promise.allSettled([
        listen(eu, port && port + 1, host),
        listen(s3, port && port + 2, host),
      ]);
      // Of several ports in use, the error names the first.
      const usPort = await listen(us, port, host);
      const [euPort, s3Port] = others.map((result) => {
        if (result.status === "rejected") throw result.reason;
        return result.value;
      }) as [number, number];
      return { us: usPort, eu: euPort, s3: s3Port };
    },
    async close() {
      await Promise.all([us, eu, s3].map((server) => closeServer(server, CLOSE_GRACE_MS)));
    },
  };
}

/** The front is made with the first request. */
function s3Listener(
  openEngine: ServersParts["openEngine"],
  options: Pick<S3FrontOptions, "guard" | "requireRoom">,
): S3Listener {
  const front = lazily(async () => {
    const { worlds, onDemand } = await openEngine();
    const { createS3Front } = await onDemand();
    const resolve = (url: string, headers: IncomingHttpHeaders) => storeFor(worlds, url, headers);
    return createS3Front({ wallNow: Date.now, resolve, ...options });
  });
  let listener: S3Listener | undefined;
  return async (request, response) => {
    listener ??= await front();
    listener(request, response);
  };
}

async function storeFor(
  worlds: Worlds,
  url: string,
  headers: IncomingHttpHeaders,
): Promise<Resolved | undefined> {
  const { id, basePath } = worldChoice(url, headers);
  const openWorld = await worlds.ensureReady(id);
  if (!openWorld) return undefined;
  const at = asOfChoice(splitTarget(url).rawQuery, headers);
  openWorld.runtime.clock.sync();
  return { store: (at ? openWorld.runtime.asOf(at) : openWorld.runtime).objects, basePath };
}
