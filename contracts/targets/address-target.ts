import type { Send } from "../engine/http-message.ts";
import type { Need } from "../engine/needs.ts";
import { createRandom } from "../engine/random.ts";
import { createSurface, type Surface } from "../engine/surface.ts";
import type { Identity, Session, Target } from "../engine/target.ts";
import { type Adapter, openAdapter } from "./adapter.ts";
import { type Addresses, areLocal } from "./addresses.ts";
import { openObjectStore } from "./object-store.ts";
import {
  acceptsAnyTenant,
  detectVersionedFeatures,
  findAssistant,
  requireAccess,
  requireKnownServer,
  VERSIONED,
} from "./probe.ts";
import { REACH } from "./reach.ts";
import { createSender, Unreachable } from "./send.ts";
import { control, openTestWorld, type TestWorld } from "./test-world.ts";

const DEFAULT_TENANT_ID = "00000000-0000-4000-8000-000000000001";

const DEFAULT_WAIT_MS = 10_000;

/** Request rate for a real service, below its own rate limits. */
const THROTTLE_REQUESTS = 50;
const THROTTLE_WINDOW_MS = 10_000;

/** A server at base addresses; probes what it offers. */
export async function createAddressTarget(options: Addresses): Promise<Target> {
  const url = options.url ?? options.agentUrl ?? "";
  const local = options.isOwn ?? areLocal(options);
  const world = local ? await openTestWorld(options, options.world) : undefined;
  const addresses = { us: url, eu: options.euUrl };
  const sender = world ?? createSender(addresses, options.agentUrl);
  const send = local ? sender.send : throttle(sender.send);
  const probe = withHeaders(send, options.headers);
  const surface = createSurface(send, options.implements);
  let adapter: Adapter | undefined;
  const close = async () => {
    await adapter?.prepare().catch(() => undefined);
    adapter?.close();
    await world?.release();
    sender.close();
  };
  try {
    const features = await probeLocal(options, world, probe, surface);
    const assistantId = await findAssistant(options, probe);
    adapter = await adapterOf(options, world, send);
    const { addressOf } = sender;
    // An emulator has every operation: where it answers 404 it is wrong.
    const parts = { options, world, send, addressOf, assistantId, adapter };
    const open = sessionOpener({ ...parts, surface: world ? undefined : surface });
    const temporaryServer = world?.createdId && `the world ${world.createdId} of the run`;
    return {
      name: url,
      offers: offersOf(options, local, world !== undefined, features, adapter),
      width: 1,
      elsewhere: local ? undefined : true,
      temporaryServer,
      nonce: String(REACH.now()),
      now: REACH.now,
      open,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Features of a server as probed. */
interface ServerFeatures {
  readonly platform: boolean;
  readonly agent: boolean;
  /** Any workspace id is accepted. */
  readonly tenants: boolean;
  readonly versioned: readonly Need[];
}

/** Probes a server; rejects when it is unknown or denies access. */
async function probeLocal(
  options: Addresses,
  world: TestWorld | undefined,
  send: Send,
  surface: Surface,
): Promise<ServerFeatures> {
  if (!(options.isOwn ?? areLocal(options))) return probeRemote(options, send);
  const parts = { platform: options.url !== undefined, agent: true };
  if (!world) await requireKnownServer(options, send, surface);
  if (!world && !parts.platform) return { ...parts, tenants: false, versioned: VERSIONED };
  const tenants = world !== undefined && (await acceptsAnyTenant(options, send));
  if (!tenants) await requireAccess(options, world ? undefined : DEFAULT_TENANT_ID, send);
  return { ...parts, tenants, versioned: await detectVersionedFeatures(options, send) };
}

/** Takes a remote service for what the addresses say; sends requests only with `greets`. */
async function probeRemote(options: Addresses, send: Send): Promise<ServerFeatures> {
  const parts = { platform: options.url !== undefined, agent: false, tenants: false };
  if (!options.greets || !parts.platform) return { ...parts, versioned: VERSIONED };
  await requireAccess(options, DEFAULT_TENANT_ID, send);
  return { ...parts, versioned: await detectVersionedFeatures(options, send) };
}

interface SessionParts extends Pick<Session, "send" | "addressOf" | "surface"> {
  readonly options: Addresses;
  readonly world: TestWorld | undefined;
  readonly assistantId: string | undefined;
  readonly adapter: Adapter | undefined;
}

/** Opens the adapter that was given. Throws `Unreachable`. */
async function adapterOf(
  options: Addresses,
  world: TestWorld | undefined,
  send: Send,
): Promise<Adapter | undefined> {
  const { adapterUrl, ...others } = options;
  if (adapterUrl === undefined) return undefined;
  if (world)
    throw new Unreachable(
      `--adapter: ${options.url} is an emulator, which needs no adapter; leave out --adapter`,
    );
  const caller = { apiKey: "contract-adapter", tenantId: DEFAULT_TENANT_ID };
  return openAdapter(adapterUrl, send, identityOf({ ...caller, ...others }, "adapter"));
}

/** Opens a session for each case, with its own identity, bucket and key pair where the server allows it. */
function sessionOpener(parts: SessionParts): Target["open"] {
  const { options, world, send, addressOf, surface, assistantId, adapter } = parts;
  const draw = createRandom("workspace", REACH.now());
  const patience = { ms: options.waitMs ?? DEFAULT_WAIT_MS, isSpent: false };
  return async (settings) => {
    if (settings && !adapter?.canRestart)
      throw new Error("The settings of a running server cannot be changed.");
    await adapter?.prepare(settings);
    const caller = {
      apiKey: `contract-${draw.word(12)}`,
      isKeyPublic: options.apiKey === undefined,
      tenantId: world ? draw.uuid() : DEFAULT_TENANT_ID,
    };
    const identity = { ...identityOf({ ...caller, ...options }, draw.word(12)), assistantId };
    const removeBucket = world && !options.s3 ? await ownBucket(send, identity.bucket) : undefined;
    const objects = await objectsFor(parts, identity);
    await world?.freeze();
    // With one key the rate limits would count all cases together.
    if (world && options.apiKey !== undefined) await send(control("POST", "/rate-limits/reset", {}));
    const close = async () => {
      objects.close();
      // Fails harmlessly when the emulator has ended already.
      await removeBucket?.().catch(() => undefined);
    };
    const means = { send, addressOf, surface, clock: adapter?.clock, objects, reach: REACH, patience };
    return { ...means, identity, shared: true, close };
  };
}

function offersOf(
  options: Addresses,
  local: boolean,
  emulator: boolean,
  features: ServerFeatures,
  adapter: Adapter | undefined,
): ReadonlySet<Need> {
  const needs: readonly (readonly [boolean, ...Need[]])[] = [
    [features.platform, "platform"],
    [options.allowWrites || local, "writes", "ingest"],
    [options.euUrl !== undefined, "eu"],
    [options.agentUrl !== undefined || emulator || features.agent, "agent"],
    [local, "receiver"],
    [options.s3 !== undefined || emulator, "object_store"],
    [emulator, "control", "clock", "faults", "scripts", "store_keys", "rate_counters"],
    [local, "bursts"],
    [adapter?.clock !== undefined, "clock"],
    [adapter?.canRestart === true, "settings"],
    [features.tenants, "tenants"],
    [true, ...features.versioned],
  ];
  return new Set(needs.flatMap(([offered, ...names]) => (offered ? names : [])));
}

type Caller = Pick<Identity, "apiKey" | "tenantId" | "isKeyPublic">;

function identityOf({ s3, ...options }: Addresses & Caller, word: string): Identity {
  const { apiKey, isKeyPublic, tenantId, destinationId, sessionId, threadId, headers } = options;
  const caller = { apiKey, isKeyPublic, tenantId, destinationId, sessionId, threadId, headers };
  if (s3) {
    const { endpoint, ...bucket } = s3;
    return { ...caller, bucket: { ...bucket, endpointUrl: endpoint } };
  }
  const name = `contract-${word}`;
  const key = { accessKeyId: `key-of-${word}`, secretAccessKey: `secret-of-${word}` };
  return { ...caller, bucket: { name, region: "us-east-1", endpointUrl: null, ...key } };
}

async function objectsFor({ options, world, adapter }: SessionParts, identity: Identity) {
  const store = openObjectStore(options.s3?.endpoint ?? world?.s3Url, identity.bucket);
  // After a reset a server may give an id again, and the bucket still has the files of the first one.
  return options.s3 && adapter?.canReset ? withoutEarlier(store, identity) : store;
}

type ObjectStoreClient = ReturnType<typeof openObjectStore>;

/** An object store that lists only what was not in the bucket before. */
async function withoutEarlier(store: ObjectStoreClient, { bucket }: Identity): Promise<ObjectStoreClient> {
  const earlier = new Set(await store.list(bucket.name).catch(() => []));
  const list: ObjectStoreClient["list"] = async (name, prefix) =>
    (await store.list(name, prefix)).filter((key) => !earlier.has(key));
  return { ...store, list };
}

/** Adds headers to every request, for probes: cases add them by themselves, so that they can leave some out. */
function withHeaders(send: Send, always: Addresses["headers"]): Send {
  if (!always) return send;
  return (request) => send({ ...request, headers: { ...request.headers, ...always } });
}

/** Creates a bucket and a key pair for one case, since cases delete buckets and revoke keys; returns their removal. */
async function ownBucket(send: Send, { name, accessKeyId, secretAccessKey }: Identity["bucket"]) {
  const pair = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  await send(control("POST", "/s3/buckets", { name }));
  await send(control("POST", "/s3/credentials", pair));
  return async () => {
    await send(control("DELETE", `/s3/buckets/${name}`));
    await send(control("DELETE", `/s3/credentials/${accessKeyId}`));
  };
}

/** Limits the request rate by a sliding window. */
function throttle(send: Send): Send {
  const sentTimes: number[] = [];
  return async (request) => {
    const now = REACH.now();
    while (sentTimes.length > 0 && now - (sentTimes[0] ?? 0) > THROTTLE_WINDOW_MS) sentTimes.shift();
    if (sentTimes.length >= THROTTLE_REQUESTS)
      await REACH.wait(THROTTLE_WINDOW_MS - (now - (sentTimes[0] ?? now)));
    sentTimes.push(REACH.now());
    return send(request);
  };
}
