import type { Need } from "../engine/case.ts";
import { createDraw } from "../engine/draw.ts";
import type { Identity, Send, Session, Target } from "../engine/target.ts";
import { control, openPlace, type Place } from "./emulator-place.ts";
import { openObjectStore } from "./object-store.ts";
import {
  admitsAnyone,
  assistantAt,
  type Parts,
  partsAt,
  refuseCaller,
  refuseStranger,
  VERSIONED,
  versionedAt,
} from "./probe.ts";
import { REACH } from "./reach.ts";
import { createSender } from "./send.ts";

/** Where a server is, who the harness is to it, and what the harness may do there. */
export interface Addresses {
  /** Left out where there is an agent server and nothing else. */
  readonly url?: string;
  readonly euUrl?: string;
  readonly agentUrl?: string;
  /** Id, graph or name of the assistant that runs are started with. */
  readonly assistant?: string;
  /** Without one, an emulator is called with another key for each case, so that no limit of §8.5 is in the way. */
  readonly apiKey?: string;
  /** Without one, an emulator is asked in a workspace of its own for each case. */
  readonly tenantId?: string;
  readonly s3?: { readonly endpoint: string | null } & Omit<Identity["bucket"], "endpointUrl">;
  readonly allowWrites: boolean;
  /** A service elsewhere is asked first whether it knows the key, as a server on this machine always is. */
  readonly greets?: boolean;
  /** World of an emulator to judge as it stands; without one, a world is made and removed again. */
  readonly world?: string;
  /** Taken for a server on this machine, whatever its address looks like. */
  readonly isOwn?: boolean;
}

const DEFAULT_TENANT_ID = "00000000-0000-4000-8000-000000000001";

const LOCAL = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|host\.docker\.internal)$/;

/** A real service is asked no faster than this, so that the suites never trip its limits themselves. */
const CALM_REQUESTS = 50;
const CALM_WINDOW_MS = 10_000;

export function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL.test(new URL(url).hostname);
}

/** One part elsewhere makes the whole of it a service that is not to be written to unasked. */
export function areLocal({ url, euUrl, agentUrl }: Pick<Addresses, "url" | "euUrl" | "agentUrl">): boolean {
  return [url, euUrl, agentUrl].every((address) => address === undefined || isLocal(address));
}

/** A server at base addresses; what it offers is found out by asking it. */
export async function createAddressTarget(given: Addresses): Promise<Target> {
  const url = given.url ?? given.agentUrl ?? "";
  const local = given.isOwn ?? areLocal(given);
  const place = local ? await openPlace(given, given.world) : undefined;
  const addresses = { us: url, ...(given.euUrl !== undefined && { eu: given.euUrl }) };
  const sender = place ?? createSender(addresses, given.agentUrl);
  const send = local ? sender.send : calm(sender.send);
  const close = async () => {
    await place?.leave();
    sender.close();
  };
  try {
    const found = await foundAt(given, place, send);
    const assistantId = await assistantAt(given, send);
    const open = sessionsAt({ given, place, send, addressOf: sender.addressOf, assistantId });
    const elsewhere = local ? {} : ({ elsewhere: true } as const);
    const fleeting = place?.made === undefined ? {} : { fleeting: `the world ${place.made} of the run` };
    return {
      name: url,
      offers: offersOf(given, local, place !== undefined, found),
      width: 1,
      ...elsewhere,
      ...fleeting,
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

/** What asking a server has shown of it. */
interface Found extends Parts {
  /** Workspaces may be made up. */
  readonly tenants: boolean;
  readonly versioned: readonly Need[];
}

/** Finds out by asking what can be found out; rejects when the caller would get no further. */
async function foundAt(given: Addresses, place: Place | undefined, send: Send): Promise<Found> {
  if (!(given.isOwn ?? areLocal(given))) return foundElsewhere(given, send);
  const parts = place ? { platform: given.url !== undefined, agent: true } : await partsAt(given, send);
  refuseStranger(given, parts);
  if (!place && !parts.platform) return { ...parts, tenants: false, versioned: VERSIONED };
  const tenants = place !== undefined && (await admitsAnyone(given, send));
  if (!tenants) await refuseCaller(given, place ? undefined : DEFAULT_TENANT_ID, send);
  return { ...parts, tenants, versioned: await versionedAt(given, send) };
}

/** A service elsewhere is taken for what it is said to be, and asked for nothing unless that is wanted. */
async function foundElsewhere(given: Addresses, send: Send): Promise<Found> {
  const parts = { platform: given.url !== undefined, agent: false, tenants: false };
  if (!given.greets || !parts.platform) return { ...parts, versioned: VERSIONED };
  await refuseCaller(given, DEFAULT_TENANT_ID, send);
  return { ...parts, versioned: await versionedAt(given, send) };
}

interface Opened extends Pick<Session, "send" | "addressOf"> {
  readonly given: Addresses;
  readonly place: Place | undefined;
  readonly assistantId: string | undefined;
}

/** A session for each case: as somebody else, with a bucket and a key pair of its own, where that can be had. */
function sessionsAt({ given, place, send, addressOf, assistantId }: Opened): Target["open"] {
  const draw = createDraw("workspace", REACH.now());
  return async (settings) => {
    if (settings) throw new Error("A server that runs already cannot be given other settings.");
    const caller = {
      apiKey: `contract-${draw.word(12)}`,
      tenantId: place ? draw.uuid() : DEFAULT_TENANT_ID,
    };
    const identity = {
      ...identityOf({ ...caller, ...given }, draw.word(12)),
      ...(assistantId !== undefined && { assistantId }),
    };
    const removeBucket = place && !given.s3 ? await ownBucket(send, identity.bucket) : undefined;
    const objects = openObjectStore(given.s3?.endpoint ?? place?.s3Url, identity.bucket);
    await place?.freeze();
    // One key for all cases would be counted for all of them.
    if (place && given.apiKey !== undefined) await send(control("POST", "/rate-limits/reset", {}));
    const close = async () => {
      objects.close();
      // An emulator that has ended has taken it along.
      await removeBucket?.().catch(() => undefined);
    };
    return { send, addressOf, identity, objects, reach: REACH, shared: true, close };
  };
}

function offersOf(given: Addresses, local: boolean, emulator: boolean, has: Found): ReadonlySet<Need> {
  const needs: readonly (readonly [boolean, ...Need[]])[] = [
    [has.platform, "platform"],
    [given.allowWrites || local, "writes", "ingest"],
    [given.euUrl !== undefined, "eu"],
    [given.agentUrl !== undefined || emulator || has.agent, "agent"],
    [local, "receiver"],
    [given.s3 !== undefined || emulator, "object_store"],
    [emulator, "control", "clock", "faults"],
    [has.tenants, "tenants"],
    [true, ...has.versioned],
  ];
  return new Set(needs.flatMap(([offered, ...names]) => (offered ? names : [])));
}

function identityOf(
  { apiKey, tenantId, s3 }: Addresses & Pick<Identity, "apiKey" | "tenantId">,
  word: string,
): Identity {
  if (s3) {
    const { endpoint, ...bucket } = s3;
    return { apiKey, tenantId, bucket: { ...bucket, endpointUrl: endpoint } };
  }
  const name = `contract-${word}`;
  const key = { accessKeyId: `key-of-${word}`, secretAccessKey: `secret-of-${word}` };
  return { apiKey, tenantId, bucket: { name, region: "us-east-1", endpointUrl: null, ...key } };
}

/** A bucket and a key pair of the case's own, since cases delete buckets and revoke keys; removed by what it answers. */
async function ownBucket(send: Send, { name, accessKeyId, secretAccessKey }: Identity["bucket"]) {
  const pair = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  await send(control("POST", "/s3/buckets", { name }));
  await send(control("POST", "/s3/credentials", pair));
  return async () => {
    await send(control("DELETE", `/s3/buckets/${name}`));
    await send(control("DELETE", `/s3/credentials/${accessKeyId}`));
  };
}

/** Lets so many requests through in a window, and the next ones wait for it to move on. */
function calm(send: Send): Send {
  const sent: number[] = [];
  return async (request) => {
    const now = REACH.now();
    while (sent.length > 0 && now - (sent[0] ?? 0) > CALM_WINDOW_MS) sent.shift();
    if (sent.length >= CALM_REQUESTS) await REACH.wait(CALM_WINDOW_MS - (now - (sent[0] ?? now)));
    sent.push(REACH.now());
    return send(request);
  };
}
