import { recordingUpTo } from "../control/recording.ts";
import { asOfChoice, withoutAsOf } from "../http/as-of-choice.ts";
import { corsHeaders, preflightReply } from "../http/cors.ts";
import { earlyRefusalReply } from "../http/refusal-reply.ts";
import { type WorldChoice, worldChoice } from "../http/world-choice.ts";
import type { AsOf } from "../kernel/as-of.ts";
import { Refusal } from "../kernel/refusal.ts";
import { StoreError } from "../storage/store-error.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import { type HttpReply, type HttpRequest, withHeaders } from "../subjects/message.ts";
import type { OnDemand } from "./on-demand.ts";
import type { FreeSpaceGuard } from "./process/free-space.ts";
import type { RequestLog } from "./request-log.ts";
import { unknownWorld } from "./worlds/names.ts";
import type { NamedWorld } from "./worlds/open-worlds.ts";
import type { Worlds } from "./worlds/worlds.ts";

/** Brings each request to its world. */
export interface Router {
  handle(request: HttpRequest): Promise<HttpReply>;
  /** In a world that is in use already, as the emulator calls itself (§6.1, relative webhooks). */
  handleIn(world: string, request: HttpRequest): Promise<HttpReply>;
}

/** What a request can be handed to. */
export interface RouterParts {
  readonly worlds: Worlds;
  /** Loaded with the first request. */
  readonly onDemand: () => OnDemand | Promise<OnDemand>;
  readonly freeSpace: FreeSpaceGuard;
  readonly log: RequestLog | undefined;
}

/** Hands each request to the world that it names, and there to the test-only operations or to the gateway. */
export function createRouter(parts: RouterParts): Router {
  const { worlds } = parts;

  async function openAndHandle(
    { id, basePath }: WorldChoice,
    at: AsOf | undefined,
    request: HttpRequest,
  ): Promise<HttpReply> {
    const path = request.path.slice(basePath.length) || "/";
    const inWorld = { ...request, path };
    const openWorld = await worldFor(parts, id, inWorld);
    if (!openWorld) throw unknownWorld(id);
    const reply = await (at
      ? handleAsOf(parts, openWorld, at, inWorld)
      : handleNow(parts, openWorld, inWorld));
    return withBasePath(reply, basePath);
  }

  function refuse(request: HttpRequest, error: unknown): HttpReply {
    const reply = refusalFor(request, error);
    parts.log?.logReply(undefined, request, reply);
    return reply;
  }

  return {
    async handleIn(world, request) {
      const openWorld = worlds.find(world);
      if (!openWorld) throw unknownWorld(world);
      return handleNow(parts, openWorld, request);
    },
    handle(request) {
      try {
        const choice = worldChoice(request.path, request.headers);
        const at = asOfChoice(request.query, request.headers);
        const openWorld = choice.basePath === "" && at === undefined ? worlds.find(choice.id) : undefined;
        if (openWorld && !openWorld.seeding) return handleNow(parts, openWorld, request);
        return openAndHandle(choice, at, request).catch((error: unknown) => refuse(request, error));
      } catch (error) {
        return Promise.resolve(refuse(request, error));
      }
    },
  };
}

/** A reset or the load of a snapshot also works for a world that cannot be opened, since its state is replaced. */
async function worldFor(
  { worlds, onDemand }: RouterParts,
  id: string,
  request: HttpRequest,
): Promise<NamedWorld | undefined> {
  try {
    return await worlds.ensureReady(id);
  } catch (error) {
    const replacement = error instanceof StoreError && (await onDemand()).replacementOf(request);
    if (!replacement) throw error;
    worlds.clearDamaged(id, replacement.snapshot);
    return worlds.ensureReady(id);
  }
}

async function handleNow(
  { onDemand, freeSpace, log }: RouterParts,
  openWorld: NamedWorld,
  incomingRequest: HttpRequest,
): Promise<HttpReply> {
  const loading = onDemand();
  const { gateway, control } = loading instanceof Promise ? await loading : loading;
  const { runtime, recording } = openWorld;
  const request = freeSpace.withStorageProblem(incomingRequest);
  runtime.clock.sync();
  log?.followWorld(openWorld);
  const { store, end } = recording.begin(request, runtime.world);
  const reply = await (request.path.startsWith(CONTROL_PREFIX)
    ? control(openWorld, request, store)
    : gateway.handle(runtime.world, request, {
        stepper: runtime.clock,
        injectFault: runtime.injectFault,
        record: store,
      })
  ).finally(end);
  // A reply leaves once its turn is persisted, so that `kill -9` undoes nothing that was acknowledged.
  const persisted = runtime.persisted();
  if (persisted) await persisted;
  log?.logReply(openWorld, request, reply);
  return reply;
}

/** Handles a request in a read-only world of the history. */
async function handleAsOf(
  parts: RouterParts,
  openWorld: NamedWorld,
  at: AsOf,
  request: HttpRequest,
): Promise<HttpReply> {
  const runtime = openWorld.runtime.asOf(at);
  const state = { ...openWorld, runtime, recording: recordingUpTo(openWorld.recording, runtime.world.now) };
  return handleNow(parts, state, { ...request, query: withoutAsOf(request.query) });
}

/** Locations in a reply carry the base path that the client has used. */
function withBasePath(reply: HttpReply, basePath: string): HttpReply {
  const headers = { ...reply.headers };
  for (const name of ["location", "content-location"])
    if (headers[name]?.startsWith("/")) headers[name] = basePath + headers[name];
  return { ...reply, headers };
}

/** With CORS headers, so that pages of other origins can read why they were refused. */
function refusalFor(request: HttpRequest, error: unknown): HttpReply {
  if (!(error instanceof Refusal)) throw error;
  const cors = corsHeaders(request);
  const isPreflight = request.method === "OPTIONS" && !request.path.includes(CONTROL_PREFIX);
  return isPreflight
    ? withHeaders(preflightReply(request), cors)
    : earlyRefusalReply(error, request.path, cors);
}
