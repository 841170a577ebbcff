import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { CreateMultipartUploadCommand, PutObjectCommand, UploadPartCommand } from "@aws-sdk/client-s3";
import { type Emulator, startEmulator } from "../../../emulator/runtime/index.ts";
import { findDamage } from "../../../emulator/storage/find-damage.ts";
import { DESTINATION, HEADERS } from "../../support/emulator.ts";
import { objectStore } from "../../support/object-store.ts";
import { dottedOrder, traceRow } from "../../support/trace-row.ts";
import { problemsOfWork } from "./damaged-work.ts";

/** What is done to one file of a data folder. */
export interface Damage {
  /** Below the data folder. */
  readonly file: string;
  readonly how: string;
  act(path: string): void;
}

/** A data folder of which every kind of file is known, and what an emulator shows of it. */
export interface RichFolder {
  readonly folder: string;
  /** Earlier data of the same folder, and a folder with the same file names. */
  readonly others: Readonly<Record<string, string>>;
  readonly shown: Shown;
}

/** By request, status and body of the reply. */
export type Shown = ReadonlyMap<string, string>;

const BEGIN = "2026-03-01T00:00:00Z";
const DAY = { from: "2026-02-25T00:00:00Z", to: "2026-02-28T00:00:00Z" };
const WORLDS = ["main", "child", "grandchild"];
const CONTROL = "/_emulator/v1";
/** Of each file, so that those of the same kind, of an earlier time and of another folder are tried. */
const MAX_SUBSTITUTES = 4;
/** The project that `fill` creates, the same in every folder. */
let projectId = "";
/** What no reply comes from, or what is another with every start. */
const NO_DATA = /^(lock|lock-owner\.json|locator\.json|\.trash|damaged-)/;

function open(folder: string, first = {}): Promise<Emulator> {
  return startEmulator({ clock: "frozen", ephemeral: false, data: folder, ...first });
}

async function send(emulator: Emulator, method: string, path: string, json?: unknown): Promise<Response> {
  return emulator.request(path, { method, headers: HEADERS, ...(json !== undefined && { json }) });
}

async function pieces<T>(emulator: Emulator, method: string, path: string, json?: unknown): Promise<T> {
  const reply = await send(emulator, method, path, json);
  const text = await reply.text();
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return (text ? JSON.parse(text) : undefined) as T;
}

/** Rows of two projects and several days with updates, an export, objects, an upload under way, secrets, worlds. */
async function fill(emulator: Emulator, onPart: () => void = () => {}): Promise<void> {
  const { session_id } = await emulator.control<{ session_id: string }>("POST", "/traces/generate", {
    count: 40,
    project: "shop",
    ...DAY,
  });
  projectId = session_id;
  await emulator.control("POST", "/traces/generate", { count: 10, project: "other", ...DAY });
  const destination = await pieces<{ id: string }>(
    emulator,
    "POST",
    "/api/v1/bulk-exports/destinations",
    DESTINATION,
  );
  const { id } = await pieces<{ id: string }>(emulator, "POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: destination.id,
    session_id,
    start_time: DAY.from,
    end_time: DAY.to,
  });
  await emulator.clock.advance({ until: { export: id, status: "COMPLETED" } });
  await pieces(emulator, "POST", "/threads", { metadata: { n: 1 } });
  await storeObjects(emulator);
  await change(emulator, "", 1);
  await emulator.snapshots.save("kept");
  const child = await emulator.fork({ id: "child" });
  await change(emulator, "/w/child", 2);
  await child.fork({ id: "grandchild" });
  await change(emulator, "/w/grandchild", 3);
  onPart();
  await change(emulator, "/w/grandchild", 5);
  await change(emulator, "", 4);
}

async function storeObjects({ s3Url }: Emulator): Promise<void> {
  const store = objectStore(s3Url);
  for (const Key of ["plain/a.txt", "ÄÖ"])
    await store.send(new PutObjectCommand({ Bucket: "traces", Key, Body: `body of ${Key}` }));
  const upload = { Bucket: "traces", Key: "large" };
  const { UploadId } = await store.send(new CreateMultipartUploadCommand(upload));
  await store.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: "part" }));
  store.destroy();
}

/** Rows of which one moves to another day, and a cron with a secret in its webhook. */
async function change(emulator: Emulator, base: string, n: number): Promise<void> {
  const ids = [1, 2, 3].map((at) => `0000000${n}-0000-4000-8000-00000000000${at}`);
  await pieces(emulator, "POST", `${base}/runs/batch`, { post: ids.map((id) => traceRow(id, `row ${n}`)) });
  const [id = ""] = ids;
  await pieces(emulator, "PATCH", `${base}/runs/${id}`, {
    trace_id: id,
    dotted_order: dottedOrder(id),
    start_time: "2026-02-27T00:00:00Z",
    outputs: { n },
  });
  await pieces(emulator, "POST", `${base}/runs/crons`, {
    assistant_id: "agent",
    schedule: "0 0 * * *",
    webhook: `https://user:secret-${n}@example.com/hook`,
  });
}

/** All that an emulator shows of a data folder. */
export async function shownOf(folder: string): Promise<Shown> {
  const replies = new Map<string, string>();
  let emulator: Emulator;
  try {
    emulator = await open(folder);
  } catch (error) {
    return replies.set("start", `refused: ${(error as Error).message}`);
  }
  try {
    await show(emulator, replies);
    const problems = await problemsOfWork(emulator, WORLDS, projectId);
    replies.set("work", problems.join("\n") || "200 as expected");
  } finally {
    // What a process cannot close is not closed either where it ends.
    await emulator.close().catch((error: Error) => replies.set("close", error.message));
  }
  return replies;
}

async function show(emulator: Emulator, replies: Map<string, string>): Promise<void> {
  const read = async <T>(method: string, path: string, json?: unknown): Promise<T | undefined> => {
    const reply = await send(emulator, method, path, json);
    const bytes = Buffer.from(await reply.arrayBuffer());
    replies.set(
      `${method} ${path} ${JSON.stringify(json)}`,
      `${reply.status} ${bytes.toString("latin1").replaceAll(/127\.0\.0\.1:\d+/g, "host")}`,
    );
    const isJson = reply.headers.get("content-type")?.includes("json") && reply.status < 300;
    return isJson ? (JSON.parse(bytes.toString()) as T) : undefined;
  };
  await read("GET", `${CONTROL}/worlds`);
  for (const { name } of (await read<{ name: string }[]>("GET", `${CONTROL}/snapshots`)) ?? [])
    await read("GET", `${CONTROL}/snapshots/${name}/file`);
  for (const world of WORLDS) {
    const base = world === "main" ? "" : `/w/${world}`;
    for (const { id } of (await read<{ id: string }[]>("GET", `${base}/sessions`)) ?? [])
      await read("POST", `${base}/runs/query`, { session: [id], limit: 100 });
    await read("GET", `${base}/api/v1/bulk-exports/destinations`);
    await read("GET", `${base}/api/v1/bulk-exports?as_of=2`);
    await read("POST", `${base}/runs/crons/search`, {});
    await read("POST", `${base}/threads/search`, {});
    for (const { id } of (await read<{ id: string }[]>("GET", `${base}/api/v1/bulk-exports`)) ?? [])
      await read("GET", `${base}${CONTROL}/exports/${id}/verify`);
    const objects = `${base}${CONTROL}/s3/buckets/traces/object`;
    const list = await read<{ objects: { key: string }[] }>("GET", `${objects}s`);
    for (const { key } of list?.objects ?? []) await read("GET", `${objects}?key=${encodeURIComponent(key)}`);
  }
}

/** Two folders with the same content: that of a closed process, and that of one that was killed. */
export async function richFolders(): Promise<readonly RichFolder[]> {
  const [closed = "", killed = "", earlier = "", foreignClosed = "", foreignKilled = ""] = Array.from(
    { length: 5 },
    () => mkdtempSync(join(tmpdir(), "damage-")),
  );
  const foreign = await open(foreignClosed, { now: BEGIN, seed: 8 });
  await fill(foreign);
  copyData(foreignClosed, foreignKilled);
  await foreign.close();
  const emulator = await open(closed, { now: BEGIN, seed: 7 });
  await fill(emulator, () => copyData(closed, earlier));
  copyData(closed, killed);
  await emulator.close();
  const folders = [
    { folder: closed, others: { "of an earlier time": earlier, "of another folder": foreignClosed } },
    { folder: killed, others: { "of an earlier time": earlier, "of another folder": foreignKilled } },
  ];
  return Promise.all(folders.map(async (each) => ({ ...each, shown: await shownOf(copied(each.folder)) })));
}

/** Another folder with the same data. */
export function copied(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), "damaged-"));
  copyData(folder, copy);
  return copy;
}

function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !NO_DATA.test(relative(from, path)) });
}

/** The files with data, without the links of the object mirror. */
export function dataFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => !file.startsWith("worlds/") && !NO_DATA.test(file))
    .sort();
}

/** Files that may take the place of a file: of the same kind, of an earlier time, and of another folder. */
function* substitutesOf({ folder, others }: RichFolder, file: string): Iterable<readonly [string, Buffer]> {
  for (const other of dataFilesIn(folder))
    if (other !== file && kindOf(other) === kindOf(file))
      yield [`replaced by ${other}`, readFileSync(join(folder, other))];
  for (const [how, source] of Object.entries(others))
    if (existsSync(join(source, file))) yield [`replaced by that ${how}`, readFileSync(join(source, file))];
}

/** Another file takes the place of a file. */
export function substitutionsOf(rich: RichFolder, file: string): readonly Damage[] {
  const bytes = readFileSync(join(rich.folder, file));
  return [...substitutesOf(rich, file)]
    .filter(([, content]) => !content.equals(bytes))
    .slice(-MAX_SUBSTITUTES)
    .map(([how, content]) => ({ file, how, act: (path: string) => writeFileSync(path, content) }));
}

/** What may happen to a file: it is cut, emptied, removed, replaced, or one bit of it is another. */
export function damagesOf(rich: RichFolder, file: string): readonly Damage[] {
  const { folder } = rich;
  const bytes = readFileSync(join(folder, file));
  const { length } = bytes;
  const bits = [0, Math.floor(length / 3), Math.floor((2 * length) / 3), length - 1];
  const cuts = new Set([Math.floor(length / 2), length - 1, ...lineEnds(bytes)]);
  return [
    { file, how: "removed", act: (path) => rmSync(path) },
    ...substitutionsOf(rich, file),
    ...(file.startsWith("pool/") ? [{ file, how: "replaced by a folder", act: replaceByFolder }] : []),
    ...(length === 0 ? [] : [{ file, how: "emptied", act: (path: string) => truncateSync(path, 0) }]),
    ...[...cuts]
      .filter((at) => at > 0 && at < length)
      .map((at) => ({ file, how: `cut at ${at}`, act: (path: string) => truncateSync(path, at) })),
    ...bits
      .filter((at) => at >= 0 && length > 0)
      .map((at) => ({ file, how: `another bit at ${at}`, act: (path: string) => flip(path, at) })),
  ];
}

/** Behind the last line, and behind the one before it. */
function lineEnds(bytes: Buffer): readonly number[] {
  const last = bytes.lastIndexOf("\n");
  return [last + 1, last > 0 ? bytes.lastIndexOf("\n", last - 1) + 1 : 0];
}

function replaceByFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  writeFileSync(path, bytes);
}

/** Looks at a copy with a damage, and removes it. */
async function inDamagedCopy<T>(
  folder: string,
  { file, act }: Pick<Damage, "file" | "act">,
  look: (copy: string) => Promise<T>,
): Promise<T> {
  const copy = copied(folder);
  try {
    act(join(copy, file));
    return await look(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 ** The difference between a damaged copy and the expected state: undefined when they are equal, or refused with the
 * name of the file.
 */
export async function wrongIn(
  { folder, shown }: RichFolder,
  { file, how, act }: Damage,
): Promise<string | undefined> {
  return inDamagedCopy(folder, { file, act }, async (copy) => {
    const replies = await shownOf(copy);
    const start = replies.get("start");
    if (start !== undefined) return start.includes(file) ? undefined : `${file} ${how}: ${start}`;
    for (const [request, reply] of shown) {
      const now = replies.get(request);
      if (
        now === reply ||
        isRefusal(now, file) ||
        (now === undefined && isListRefused(replies, request, file))
      )
        continue;
      return `${file} ${how}: ${request}: ${now?.slice(0, 300)} instead of ${reply.slice(0, 300)}`;
    }
    return undefined;
  });
}

/** A refusal, or a verification that fails, which names the file. */
function isRefusal(reply: string | undefined, file: string): boolean {
  return reply?.includes(file) === true && (/^4\d\d /.test(reply) || reply.includes('"ok":false'));
}

/** Nothing is asked for that a list, which is refused, does not name. */
function isListRefused(replies: Shown, request: string, file: string): boolean {
  const [, base = ""] = /^\S+ ((?:\/w\/\w+)?)/.exec(request) ?? [];
  return [...replies].some(([other, reply]) => other.includes(` ${base}/`) && isRefusal(reply, file));
}

/** What is wrong with the report of a damage: undefined when it names the file, or when all is shown as it should be. */
export async function wrongInReport(
  { folder, shown }: RichFolder,
  { file, how, act }: Damage,
): Promise<string | undefined> {
  return inDamagedCopy(folder, { file, act }, async (copy) => {
    const problems = await findDamage(copy);
    if (problems.some((problem) => problem.includes(file))) return undefined;
    const replies = await shownOf(copy);
    const different = [...shown].find(([request, reply]) => replies.get(request) !== reply);
    if (problems.length === 0 && !different) return undefined;
    return `${file} ${how}, reported as (${problems}): ${different?.join(": ").slice(0, 400)}`;
  });
}

/** What is wrong after the steps that the error suggests: undefined when every world works again and no damage is left. */
export async function wrongAfterReset(
  { folder, shown }: RichFolder,
  { file, how, act }: Damage,
): Promise<string | undefined> {
  return inDamagedCopy(folder, { file, act }, async (copy) => {
    const result = await open(copy).catch((error: Error) => error.message);
    if (typeof result === "string") return await wrongAfterCopy(copy, shown, `${file} ${how}: ${result}`);
    const load = await send(result, "POST", `${CONTROL}/snapshots/kept/load`);
    const wrong =
      load.status === 200 || isRefusal(`${load.status} ${await load.text()}`, file) ? [] : ["load"];
    if (wrong.length === 0 && (await send(result, "GET", `${CONTROL}/status`)).status !== 200)
      await pieces(result, "POST", `${CONTROL}/reset`);
    await pieces(result, "DELETE", `${CONTROL}/snapshots/kept`);
    await pieces(result, "DELETE", `${CONTROL}/worlds/child`);
    await pieces(result, "POST", `/w/grandchild${CONTROL}/reset`);
    await pieces(result, "POST", `${CONTROL}/reset`);
    await result.close();
    const problems = await findDamage(copy);
    const refusal = [...(await shownOf(copy))].filter(([, reply]) => /^5|data_damaged|refused/.test(reply));
    if (wrong.length + problems.length + refusal.length === 0) return undefined;
    return `${file} ${how}, after a reset: ${[...wrong, ...problems, ...refusal].join(" ").slice(0, 600)}`;
  });
}

/** A start is refused only without the key or the list of worlds, and its message gives the command that restores the list. */
async function wrongAfterCopy(copy: string, replies: Shown, refusal: string): Promise<string | undefined> {
  const [, from = "", to = ""] = /`cp (\S+) (\S+)`/.exec(refusal) ?? [];
  if (from === "") return refusal.includes("Restore the key") ? undefined : refusal;
  cpSync(from, to);
  const copyReplies = await shownOf(copy);
  const different = [...replies].find(([request, reply]) => copyReplies.get(request) !== reply);
  return different && `${refusal}, restored: ${different.join(": ").slice(0, 400)}`;
}

/** What kind of file it is: what is true of one is true of the others. */
export function kindOf(file: string): string {
  return file.replace(/^pool\/\d+\//, "").replaceAll(/[0-9a-f-]{36}|\d+/g, "#");
}
