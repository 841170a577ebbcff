import type { FormPart } from "../../../contracts/spec/traces/resources.ts";
import { decodeUtf8 } from "../bytes.ts";
import { keptText } from "../json-text.ts";
import type { Batch, IngestItem } from "./ingest.ts";
import { isJsonObject } from "./json.ts";

/** Metadata of a row's attachment; the content is not kept. */
export interface Attachment {
  readonly run_id: string;
  readonly name: string;
  readonly content_type: string;
  readonly bytes: number;
}

/** The batch of a multipart body and its attachments. */
export interface PartBatch extends Batch {
  readonly attachments: readonly Attachment[];
}

type Verb = "post" | "patch";

const MEMBERS = ["inputs", "outputs", "events", "extra", "error", "serialized"];
/** Columns that are only stored. */
const KEPT = /\.(?:inputs|outputs|extra)$/;
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

/** Assembles a batch from the parts of a multipart body; the order of the parts does not matter. */
export function batchOfParts(parts: readonly FormPart[], needsLengths: boolean): PartBatch {
  const problems: string[] = nameProblems(parts, needsLengths);
  const groups = new Map<string, PartGroup>();
  const feedback: IngestItem[] = [];
  const attachments: Attachment[] = [];
  for (const part of parts) {
    const attachment = attachmentIn(part);
    if (attachment) attachments.push(attachment);
    else {
      const problem = addJsonPart(part, groups, feedback);
      if (problem !== undefined) problems.push(problem);
    }
  }
  const runs = [...groups.values()];
  const itemsOf = (verb: Verb) =>
    runs
      .filter((group) => group.verb === verb)
      .map((group) => ({ value: valueOf(group, problems), where: group.where }));
  return { posts: itemsOf("post"), patches: itemsOf("patch"), feedback, problems, attachments };
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
  const found = name.startsWith("attachment.") ? ATTACHMENT.exec(name) : null;
  if (!found) return undefined;
  const [, id = "", file = ""] = found;
  return { run_id: id.toLowerCase(), name: file, content_type: contentType, bytes: bytes.length };
}

/** Adds a JSON part to the batch; returns a problem when its name or content is invalid. */
function addJsonPart(
  part: FormPart,
  groups: Map<string, PartGroup>,
  feedback: IngestItem[],
): string | undefined {
  const { name } = part;
  const read = readJson(part);
  if ("problem" in read) return read.problem;
  if (!name.startsWith("feedback.") || !FEEDBACK.test(name)) return addMember(groups, name, read.value);
  feedback.push({ value: withId(read.value, name.slice(-36)), where: name });
  return undefined;
}

function addMember(groups: Map<string, PartGroup>, name: string, value: unknown): string | undefined {
  const [, verb, id, member] = RUN.exec(name) ?? [];
  if (verb === undefined || id === undefined)
    return `${name.slice(0, 100)}: must be post.<id>, patch.<id>, feedback.<id> or attachment.<id>.<name>`;
  if (member !== undefined && !MEMBERS.includes(member))
    return `${name}: must end with ${MEMBERS.join(", ")}`;
  const where = `${verb}.${id.toLowerCase()}`;
  let group = groups.get(where);
  if (!group) {
    group = { verb: verb as Verb, id: id.toLowerCase(), where, members: {} };
    groups.set(where, group);
  }
  if (member === undefined) group.value = value;
  else group.members[member] = value;
  return undefined;
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

function readJson({ name, bytes }: FormPart): { readonly value: unknown } | { readonly problem: string } {
  try {
    const kept = KEPT.test(name) ? keptText(bytes) : undefined;
    return { value: kept ?? JSON.parse(decodeUtf8(bytes)) };
  } catch (error) {
    return { problem: `${name.slice(0, 100)}: is not JSON in UTF-8: ${(error as Error).message}` };
  }
}
