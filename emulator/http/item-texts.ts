import { asBuffer, matchesAt } from "../subjects/bytes.ts";
import { TextSource, textOrValue } from "../subjects/json-text.ts";
import { isPlainText, JsonWalk } from "../subjects/json-walk.ts";

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
 * Undefined when the body is not of that form, has spaces between its values, or is not JSON.
 */
export function parseItemTexts(sent: Uint8Array, names: readonly string[]): unknown {
  const body = asBuffer(sent);
  if (body[0] !== OPEN_OBJECT || !isPlainText(body)) return undefined;
  const holes = holesIn(body, names);
  if (!holes) return undefined;
  try {
    const value = JSON.parse(withoutHoles(body, holes)) as Readonly<Record<string, unknown>>;
    const source = new TextSource(body);
    const valueOf = ({ from, to, isCanonical }: Hole) =>
      textOrValue(body.subarray(from, to), isCanonical, source);
    for (const list of Object.values(value))
      if (Array.isArray(list)) for (const item of list) fill(item, names, holes, valueOf);
    return value;
  } catch {
    // A hole is not JSON. Parsing the whole text reports where.
    return undefined;
  }
}

function holesIn(body: Buffer, names: readonly string[]): readonly Hole[] | undefined {
  const holes: Hole[] = [];
  const wanted = names.map((name) => Buffer.from(name));
  const walk = new JsonWalk(body);
  for (let more = walk.firstMember(); more; more = walk.nextMember())
    if (!(body[walk.at] === OPEN_LIST ? pastItems(walk, wanted, holes) : walk.value())) return undefined;
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
    const from = walk.at;
    if (!walk.value()) return false;
    if (isHole) holes.push({ from, to: walk.at, isCanonical: walk.isCanonical });
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
