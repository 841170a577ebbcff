import {
  ADDRESSES,
  type Hide,
  hideIn,
  hideWith,
  maskedQuery,
  maskedUrl,
  type Path,
} from "../../contracts/spec/secrets.ts";
import { ASSISTANT_VERSIONS, ASSISTANTS, RUNS, THREADS } from "./agent/records.ts";
import { CRONS } from "./crons/records.ts";
import { DESTINATIONS } from "./destinations/records.ts";
import { FAULTS } from "./faults/records.ts";
import { PROJECTS } from "./projects/projects.ts";
import { DELIVERIES, INBOX } from "./webhooks/records.ts";

/** Replaces a secret that was left out. */
export const LEFT_OUT = "left-out";
/** Due events and effects in flight are treated like records of this name, which no collection has. */
export const EVENTS = "events";

const AGENT_COLLECTIONS = [RUNS, CRONS, THREADS, ASSISTANTS, ASSISTANT_VERSIONS];
const OTHER_COLLECTIONS = [FAULTS, DELIVERIES, INBOX, PROJECTS, DESTINATIONS];
/**
 * Records with addresses, which may contain tokens of receivers (§5-4), or with values that users configured.
 * Trace rows, values of threads and objects are the user's data and are not searched for secrets.
 */
const COLLECTIONS_WITH_SECRETS: ReadonlySet<string> = new Set([
  EVENTS,
  ...[...AGENT_COLLECTIONS, ...OTHER_COLLECTIONS].map(({ name }) => name),
]);

/** Headers that every webhook sender sends. All others are set by the user and may be secret. */
const PLAIN_HEADERS = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "host",
  "user-agent",
]);

/** Members of records that the emulator sets itself, or that are always ids. They are not searched for secrets. */
const PLAIN_MEMBERS: ReadonlySet<unknown> = new Set([
  "region",
  "tenant_id",
  "thread_id",
  "run_id",
  "checkpoint_id",
  "created_at",
  "updated_at",
  "status",
]);

const hideAnywhere = hideWith(LEFT_OUT, ADDRESSES);

const hide: Hide = (at, value) =>
  at.length === 1 && PLAIN_MEMBERS.has(at[0]) ? value : hideAnywhere(at, value);

/** How the values of a record are hidden; undefined for records without such secrets. */
export function hiderOf(collection: string, record: unknown): Hide | undefined {
  if (!COLLECTIONS_WITH_SECRETS.has(collection)) return undefined;
  if (collection === INBOX.name) return hideInMessage;
  const url = webhookOf(record);
  if (url === undefined) return hide;
  const masked = maskedUrl(url, LEFT_OUT);
  return (at, value) =>
    hide(at, at.at(-1) === "payload" && typeof value === "string" ? value.replaceAll(url, masked) : value);
}

/** The address of a delivery, which the user may have put anywhere in the payload. */
function webhookOf(record: unknown): string | undefined {
  const { url, data } = record as { readonly url?: unknown; readonly data?: { readonly url?: unknown } };
  const address = url ?? data?.url;
  return typeof address === "string" && address !== "" ? address : undefined;
}

function hideInMessage(at: Path, value: string | number): string | number {
  const [field, name = ""] = at;
  if (field === "headers") return PLAIN_HEADERS.has(String(name)) ? value : LEFT_OUT;
  return field === "query" ? maskedQuery(String(value), LEFT_OUT) : hide(at, value);
}

/** A record with its secrets hidden, and the paths of the secrets. */
export function hidden(collection: string, record: unknown): { record: unknown; secrets: readonly Path[] } {
  const secrets: Path[] = [];
  const hider = hiderOf(collection, record);
  const masked = hider && hideIn(record, hider, (at) => secrets.push(at));
  return { record: secrets.length > 0 ? masked : record, secrets };
}

/** Changes an existing value of a record. Returns false when the record has no value at this path. */
export function setAt(record: unknown, at: Path, change: (value: unknown) => unknown): boolean {
  let parent = record as Record<string | number, unknown>;
  for (const [depth, name] of at.entries()) {
    if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, name)) return false;
    if (depth === at.length - 1) parent[name] = change(parent[name]);
    else parent = parent[name] as Record<string | number, unknown>;
  }
  return true;
}
