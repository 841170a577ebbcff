import { parseStorable, UnstorableValue } from "../../contracts/spec/exact-json.ts";
import { invalidRequest, Refusal } from "../kernel/refusal.ts";
import { asBuffer, decodeUtf8, matchesAt } from "../subjects/bytes.ts";
import { type JsonBounds, NameCount, refuseTooMany, requireBounds } from "../subjects/json-bounds.ts";
import { TextSource, textOrValue } from "../subjects/json-text.ts";
import { isPlainText, JsonWalk } from "../subjects/json-walk.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { LimitSettings } from "../subjects/settings.ts";

/** Parses a JSON body; of the items of its lists some members may stay texts. Throws `Refusal` when it is not JSON, too large, or of another content type (§4-1). */
export function readBody(
  { headers, body }: HttpRequest,
  limits: LimitSettings,
  textMembers?: readonly string[],
): unknown {
  refuseTooLarge(body, limits);
  if (body.length === 0) throw new Refusal(422, "missing_body", "A JSON body is required.");
  const type = mediaOf(headers);
  if (type !== "application/json") throw unsupportedMedia(type, ["application/json"]);
  return (textMembers && parseItemTexts(body, textMembers, limits)) ?? parseJson(body, limits);
}

/** Throws `Refusal` (413) for a body of more than `limits.body_bytes`. */
export function refuseTooLarge({ length }: Uint8Array, { body_bytes }: LimitSettings): void {
  if (length > body_bytes)
    throw new Refusal(
      413,
      "body_too_large",
      `The body has ${length} bytes; at most ${body_bytes} are accepted.`,
      "limits.body_bytes sets the maximum.",
    );
}

/** The media type of a body in lower case, without parameters; empty when the headers name none. */
export function mediaOf(headers: HttpRequest["headers"]): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Refuses a body (415) whose media type is not one of these. */
export function unsupportedMedia(type: string, media: readonly string[]): Refusal {
  return new Refusal(
    415,
    "unsupported_media_type",
    `Content-Type must be ${media.join(" or ")}, not ${type || "missing"}.`,
  );
}

/**
 * Parses JSON in UTF-8, with marks (`exact-json.ts`). Throws `Refusal` when it is invalid, nests too deep or has values that
 * cannot be stored (422), or has too many values (413).
 */
export function parseJson(body: Uint8Array, bounds: JsonBounds): unknown {
  requireBounds(body, bounds);
  try {
    return parseStorable(decodeUtf8(body), "body");
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof UnstorableValue) throw invalidRequest(`${message}.`);
    throw new Refusal(422, "malformed_json", `The body is not JSON in UTF-8: ${message}.`);
  }
}

const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** A value that is not parsed; its number is parsed in its place. */
interface Hole {
  readonly from: number;
  readonly to: number;
  readonly isCanonical: boolean;
}

/**
 * Parses a body whose members are lists of objects. In these, members of such names remain texts (`JsonText`) where they can.
 * Undefined when the body is not of that form, has spaces between its values, or is not JSON. Throws `Refusal` (413) when it has
 * too many values.
 */
export function parseItemTexts(bytes: Uint8Array, names: readonly string[], bounds: JsonBounds): unknown {
  const body = asBuffer(bytes);
  if (body[0] !== OPEN_OBJECT || !isPlainText(body)) return undefined;
  const holes = holesIn(body, names, bounds);
  if (!holes) return undefined;
  try {
    const value = parseStorable(withoutHoles(body, holes), "body") as Readonly<Record<string, unknown>>;
    const source = new TextSource(body);
    const valueOf = ({ from, to, isCanonical }: Hole) =>
      textOrValue(body.subarray(from, to), isCanonical, source);
    for (const list of Object.values(value))
      if (Array.isArray(list)) for (const item of list) fill(item, names, holes, valueOf);
    return value;
  } catch {
    // Parsing the whole text reports what is wrong with which member.
    return undefined;
  }
}

function holesIn(body: Buffer, names: readonly string[], bounds: JsonBounds): readonly Hole[] | undefined {
  const holes: Hole[] = [];
  const nameBytes = names.map((name) => Buffer.from(name));
  const count = new NameCount(body.length, bounds);
  const walk = new JsonWalk(body, count);
  for (let more = walk.firstMember(); more; more = walk.nextMember())
    if (!(body[walk.at] === OPEN_LIST ? pastItems(walk, nameBytes, holes) : walk.value())) return undefined;
  refuseTooMany(walk.values, count, bounds);
  return !walk.isBroken && walk.isCanonical && walk.at === body.length ? holes : undefined;
}

function pastItems(walk: JsonWalk, names: readonly Buffer[], holes: Hole[]): boolean {
  for (let more = walk.firstItem(); more; more = walk.nextItem())
    if (!(walk.bytes[walk.at] === OPEN_OBJECT ? pastMembers(walk, names, holes) : walk.value())) return false;
  return !walk.isBroken;
}

function pastMembers(walk: JsonWalk, names: readonly Buffer[], holes: Hole[]): boolean {
  for (let more = walk.firstMember(); more; more = walk.nextMember()) {
    // A name with escapes could be any.
    if (!walk.isCanonical) return false;
    const isHole = isOneOf(names, walk);
    const [from, namesBefore] = [walk.at, walk.names?.count];
    if (!walk.value()) return false;
    if (isHole) {
      holes.push({ from, to: walk.at, isCanonical: walk.isCanonical });
      // No objects are built from a member that stays a text.
      if (walk.isCanonical && walk.names) walk.names.count = namesBefore ?? 0;
    }
    walk.isCanonical = true;
  }
  return !walk.isBroken;
}

function isOneOf(names: readonly Buffer[], { bytes, nameStart, nameEnd }: JsonWalk): boolean {
  for (const name of names)
    if (nameEnd - nameStart === name.length && matchesAt(bytes, name, nameStart)) return true;
  return false;
}

function withoutHoles(body: Buffer, holes: readonly Hole[]): string {
  let [text, at] = ["", 0];
  for (const [number, { from, to }] of holes.entries()) {
    text += body.toString("utf8", at, from) + number;
    at = to;
  }
  return text + body.toString("utf8", at);
}

function fill(
  item: unknown,
  names: readonly string[],
  holes: readonly Hole[],
  valueOf: (hole: Hole) => unknown,
): void {
  if (typeof item !== "object" || item === null) return;
  const members = item as Record<string, unknown>;
  for (const name of names)
    if (Object.hasOwn(members, name)) members[name] = valueOf(holes[members[name] as number] as Hole);
}
