import { parseStorable, UnstorableValue } from "../../../contracts/spec/exact-json.ts";
import type { FormPart } from "../../../contracts/spec/traces/resources.ts";
import { decodeUtf8 } from "../bytes.ts";
import { type JsonBounds, NameCount, refuseTooMany, requireBounds } from "../json-bounds.ts";
import { keptText } from "../json-text.ts";
import type { IngestItem } from "./ingest.ts";
import { isJsonObject } from "./json.ts";

/** Metadata of a row's attachment; the content is not kept. */
export interface Attachment {
  readonly run_id: string;
  readonly name: string;
  readonly content_type: string;
  readonly bytes: number;
}

type Verb = "post" | "patch";

const MEMBERS = ["inputs", "outputs", "events", "extra", "error", "serialized"];
/** Columns that are only stored. */
const KEPT: ReadonlySet<string | undefined> = new Set(["inputs", "outputs", "extra"]);
const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const RUN = new RegExp(`^(post|patch)\\.(${UUID})(?:\\.([a-z]+))?$`);
const FEEDBACK = new RegExp(`^feedback\\.${UUID}$`);
const ATTACHMENT = new RegExp(`^attachment\\.(${UUID})\\.(.+)$`, "s");

interface PartGroup {
  readonly verb: Verb;
  readonly id: string;
  readonly where: string;
  value?: unknown;
  readonly members: Record<string, unknown>;
}

/** The parts that were read so far. */
interface PartsRead {
  readonly groups: Map<string, PartGroup>;
  readonly feedback: IngestItem[];
  /** That of the last part: those of one item mostly come together. */
  latest?: PartGroup;
  /** Counts the values of a part, and unless it stays a text, its names. Throws a `Refusal` (413, 422). */
  requireBounds(bytes: Uint8Array, isText: boolean): void;
  /** Whether the texts that are kept could have too many values. */
  readonly isLarge: boolean;
}

/** Assembles a batch from the parts of a multipart body in any order. Throws a `Refusal` when they hold too much (413, 422). */
export function batchOfParts(parts: readonly FormPart[], needsLengths: boolean, bounds: JsonBounds) {
  const problems: string[] = nameProblems(parts, needsLengths);
  const read: PartsRead = { groups: new Map(), feedback: [], ...boundsOfParts(parts, bounds) };
  const attachments: Attachment[] = [];
  for (const part of parts) {
    const attachment = attachmentIn(part);
    if (attachment) attachments.push(attachment);
    else {
      const problem = addJsonPart(part, read);
      if (problem !== undefined) problems.push(problem);
    }
  }
  const items: Record<Verb, IngestItem[]> = { post: [], patch: [] };
  for (const group of read.groups.values())
    items[group.verb].push({ value: valueOf(group, problems), where: group.where });
  return { posts: items.post, patches: items.patch, feedback: read.feedback, problems, attachments };
}

/** All parts together have no more values than one JSON body. */
function boundsOfParts(
  parts: readonly FormPart[],
  bounds: JsonBounds,
): Pick<PartsRead, "requireBounds" | "isLarge"> {
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const names = new NameCount(size, bounds);
  let values = 0;
  return {
    isLarge: size > bounds.json_values,
    requireBounds(bytes, isText) {
      const namesBefore = names.count;
      values += requireBounds(bytes, bounds, names);
      if (isText) names.count = namesBefore;
      refuseTooMany(values, names, bounds);
    },
  };
}

function nameProblems(parts: readonly FormPart[], needsLengths: boolean): string[] {
  const problems: string[] = [];
  const names = new Set<string>();
  for (const { name, length } of parts) {
    if (names.has(name)) problems.push(`${name.slice(0, 100)}: stands twice in the body`);
    names.add(name);
    if (needsLengths && length === undefined) problems.push(`${name.slice(0, 100)}: must say its length`);
  }
  return problems;
}

function attachmentIn({ name, contentType, bytes }: FormPart): Attachment | undefined {
  const nameMatch = name.startsWith("attachment.") ? ATTACHMENT.exec(name) : null;
  if (!nameMatch) return undefined;
  const [, id = "", file = ""] = nameMatch;
  return { run_id: id.toLowerCase(), name: file, content_type: contentType, bytes: bytes.length };
}

/** Adds a JSON part to those read; returns a problem when its name or content is invalid. */
function addJsonPart(part: FormPart, read: PartsRead): string | undefined {
  const { name } = part;
  if (name.startsWith("feedback.") && FEEDBACK.test(name)) {
    const json = readJson(part, read, false);
    if ("problem" in json) return json.problem;
    read.feedback.push({ value: withId(json.value, name.slice(-36)), where: name });
    return undefined;
  }
  const placeOrProblem = groupOf(name, read);
  if (typeof placeOrProblem === "string") return placeOrProblem;
  const { group, member } = placeOrProblem;
  const json = readJson(part, read, KEPT.has(member));
  if ("problem" in json) return json.problem;
  read.latest = group;
  if (member === undefined) group.value = json.value;
  else group.members[member] = json.value;
  return undefined;
}

interface Place {
  readonly group: PartGroup;
  /** Undefined for the item itself. */
  readonly member: string | undefined;
}

/** Where a part belongs, or what is wrong with its name. */
function groupOf(name: string, { groups, latest }: PartsRead): Place | string {
  const place = latest && placeIn(latest, name);
  if (place) return place;
  const [, verb, id, member] = RUN.exec(name) ?? [];
  if (verb === undefined || id === undefined)
    return `${name.slice(0, 100)}: must be post.<id>, patch.<id>, feedback.<id> or attachment.<id>.<name>`;
  if (member !== undefined && !MEMBERS.includes(member))
    return `${name}: must end with ${MEMBERS.join(", ")}`;
  const where = `${verb}.${id.toLowerCase()}`;
  const group = groups.get(where) ?? { verb: verb as Verb, id: id.toLowerCase(), where, members: {} };
  groups.set(where, group);
  return { group, member };
}

function placeIn(group: PartGroup, name: string): Place | undefined {
  if (!name.startsWith(group.where)) return undefined;
  const member = MEMBERS.find(
    (each) => name.length === group.where.length + 1 + each.length && name.endsWith(`.${each}`),
  );
  return member === undefined ? undefined : { group, member };
}

/** Merges the separate member parts into their item; a separate part overrides the item's own member. */
function valueOf({ value, id, where, members }: PartGroup, problems: string[]): unknown {
  if (value === undefined) problems.push(`${where}: is missing, but parts with its members are present`);
  if (!isJsonObject(value)) return value;
  if (value.id != null && String(value.id).toLowerCase() !== id)
    problems.push(`${where}.id: must be the id in the part's name`);
  // Safe to mutate: the value was parsed by this module and is not shared.
  return Object.assign(value, members, { id });
}

function withId(value: unknown, id: string): unknown {
  return isJsonObject(value) && value.id == null ? { ...value, id } : value;
}

function readJson(
  { name, bytes, isOfPlainText }: FormPart,
  read: PartsRead,
  isKept: boolean,
): { readonly value: unknown } | { readonly problem: string } {
  const jsonText = isKept ? keptText(bytes, isOfPlainText) : undefined;
  if (!jsonText || read.isLarge) read.requireBounds(bytes, jsonText !== undefined);
  try {
    return { value: jsonText ?? parseStorable(decodeUtf8(bytes), name.slice(0, 100)) };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof UnstorableValue) return { problem: message };
    return { problem: `${name.slice(0, 100)}: is not JSON in UTF-8: ${message}` };
  }
}
