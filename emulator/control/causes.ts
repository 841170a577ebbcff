import { markedName } from "../../contracts/spec/exact-json.ts";
import type { Commit, Effect } from "../kernel/commit.ts";
import { firstIndex } from "../kernel/first-index.ts";
import { entryOf } from "../kernel/journal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CausedTurn, Causes } from "../subjects/causes.ts";
import type { ControlContext, HistoryTurn } from "../subjects/control-operation.ts";
import { PROJECTS } from "../subjects/projects/projects.ts";
import { missingParent, WAITING_CHILDREN } from "../subjects/traces/waiting.ts";
import type { World } from "../subjects/turn.ts";

const MAX_EFFECTS = 1_000;
const ROWS = "rows";

/**
 * Finds the causes of the record, object or row with this id, or of the value of one of its fields. Refuses an id that the
 * history does not contain, and a field that the record does not have (404). `withEffects` adds the turns that the record caused.
 */
export function causesOf(
  context: ControlContext,
  id: string,
  field: string | undefined,
  withEffects: boolean,
): Causes {
  const turns = [...context.turns()];
  const links = linksOf(turns.map(({ commit }) => commit));
  const subject = recordNamed(turns, id) ?? rowNamed(context, turns, id);
  if (!subject)
    throw new Refusal(
      404,
      "unknown_id",
      `${id.slice(0, 200)} does not occur in the history of this world, which starts at turn ${turns[0]?.commit.turn ?? "?"}.`,
      "Give the id of a record (such as an export, a run, a thread or a delivery) or of a trace row, or the bucket/key of an object.",
    );
  const { found, first, waits } = subject;
  const last = field === undefined ? subject.last : lastWriter(subject, field);
  const chain = last ? chainTo(last, links) : [];
  const complete = last !== undefined && chain.at(-1)?.because === undefined;
  const causes = { id, found, waits, ...(field !== undefined && { field }), chain, complete };
  if (!withEffects) return causes;
  const effects = effectsOf(first, links);
  return {
    ...causes,
    effects: effects.slice(0, MAX_EFFECTS),
    effects_total: effects.length,
  };
}

interface Subject extends Pick<Causes, "found" | "waits"> {
  readonly first: Commit;
  readonly last: Commit;
  /** What the turns wrote, the newest first. */
  readonly versions: () => Iterable<Version>;
}

/** A record before and after a turn; undefined where it does not exist. */
interface Version {
  readonly commit: Commit;
  readonly before: unknown;
  readonly after: unknown;
}

/** The last turn that gave the field its value; undefined if the history does not contain it. */
function lastWriter({ found, versions }: Subject, field: string): Commit | undefined {
  const names = new Set<string>();
  let isKnown = false;
  for (const { commit, before, after } of versions()) {
    const [old, value] = [valueAt(before, field), valueAt(after, field)];
    if (JSON.stringify(old) !== JSON.stringify(value)) return commit;
    isKnown ||= value !== undefined;
    for (const name of Object.keys(after ?? before ?? {})) names.add(name);
  }
  if (isKnown) return undefined;
  throw new Refusal(
    404,
    "unknown_field",
    `field: ${found} has no field ${JSON.stringify(field.slice(0, 200))}.`,
    `Give one of ${[...names].join(", ")}, or a path into one, such as a.b.0.`,
  );
}

function valueAt(record: unknown, path: string): unknown {
  let value = record;
  for (const part of path.split(".")) {
    const name = Array.isArray(value) ? part : markedName(part);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** The record with this key, or whose key ends with it; otherwise the turns whose cause refers to it. */
function recordNamed(turns: readonly HistoryTurn[], id: string): Subject | undefined {
  const ending = `/${id}`;
  return (
    changeOf(turns, (key) => key === id) ??
    changeOf(turns, (key) => key.endsWith(ending)) ??
    subjectIn(
      turns.filter(({ commit: { cause } }) => cause.ref === id),
      ({ commit: { cause } }) => cause.name,
    )
  );
}

function changeOf(turns: readonly HistoryTurn[], matches: (key: string) => boolean): Subject | undefined {
  // The id of a waiting child is that of a trace row.
  const changed = ({ commit }: HistoryTurn) =>
    changesIn(commit).find(([name, key]) => name !== WAITING_CHILDREN.name && matches(key));
  return subjectIn(
    turns.filter((turn) => changed(turn) !== undefined),
    (turn) => changed(turn)?.join("/") ?? "",
    changed,
  );
}

function changesIn({
  put = {},
  removed = {},
}: Commit): readonly (readonly [collection: string, key: string])[] {
  return [
    ...Object.entries(put).flatMap(([name, items]) => items.map(({ key }) => [name, key] as const)),
    ...Object.entries(removed).flatMap(([name, keys]) => keys.map((key) => [name, key] as const)),
  ];
}

function subjectIn(
  turns: readonly HistoryTurn[],
  nameOf: (turn: HistoryTurn) => string,
  recordOf: (turn: HistoryTurn) => readonly [collection: string, key: string] | undefined = () => undefined,
): Subject | undefined {
  const [first, last] = [turns[0], turns.at(-1)];
  if (!first || !last) return undefined;
  function* versions(): Iterable<Version> {
    for (const turn of turns.toReversed()) {
      const [collection = "", key = ""] = recordOf(turn) ?? [];
      const { commit, replaced } = turn;
      const old = replaced.find((each) => each.collection === collection && each.key === key);
      const after = commit.put?.[collection]?.find((each) => each.key === key);
      yield { commit, before: old?.row.record, after: after?.record };
    }
  }
  return { found: nameOf(last), first: first.commit, last: last.commit, versions };
}

/** The turns that first and last wrote a trace row, by the row marks of the turns. */
function rowNamed({ world }: ControlContext, turns: readonly HistoryTurn[], id: string): Subject | undefined {
  const { traces } = world.ports;
  const rowId = id.toLowerCase();
  for (const scope of workspacesIn(world)) {
    const present = traces.read(scope, rowId);
    if (!present) continue;
    const text = JSON.stringify(present);
    const versionAt = (mark: number) => traces.readAsOf(scope, rowId, mark);
    const firstTurn = (holds: (turn: HistoryTurn) => boolean) =>
      turns[firstIndex(turns.length, (index) => holds(turns[index] as HistoryTurn))];
    const first = firstTurn(({ rows }) => versionAt(rows) !== undefined);
    const last = firstTurn(({ rows }) => JSON.stringify(versionAt(rows)) === text);
    if (!first || !last) continue;
    const versions = () => rowVersions(turns, versionAt);
    const waits = missingParent(traces, scope, present);
    return { found: `${ROWS}/${rowId}`, waits, first: first.commit, last: last.commit, versions };
  }
  return undefined;
}

/** The workspaces that may have trace rows: those with a project. */
export function workspacesIn({ reader }: World): Iterable<WorkspaceScope> {
  const scopes = new Map<string, WorkspaceScope>();
  for (const { region, tenant_id: tenantId } of reader.list(PROJECTS))
    scopes.set(`${region} ${tenantId}`, { region, tenantId });
  return scopes.values();
}

interface WorkspaceScope {
  readonly region: string;
  readonly tenantId: string;
}

/** The state before the first turn is unknown, so that turn counts as one that changed nothing. */
function* rowVersions(
  turns: readonly HistoryTurn[],
  versionAt: (mark: number) => unknown,
): Iterable<Version> {
  let after = versionAt(turns.at(-1)?.rows ?? 0);
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    const { commit, rows } = turns[at] as HistoryTurn;
    const previousRows = turns[at - 1]?.rows ?? rows;
    const before = previousRows === rows ? after : versionAt(previousRows);
    yield { commit, before, after };
    after = before;
  }
}

/** The turn that requested an event or an effect. */
interface Origin {
  readonly kind: string;
  readonly ref: string;
  readonly commit: Commit;
}

/** The turn that each turn follows from; `undefined` for one before the history. */
interface Links {
  readonly parents: ReadonlyMap<Commit, Origin | undefined>;
  readonly children: ReadonlyMap<Commit, readonly Commit[]>;
}

function linksOf(commits: readonly Commit[]): Links {
  const origins = new Map<string, Origin>();
  const inFlight = new Map<number, Effect>();
  const parents = new Map<Commit, Origin | undefined>();
  const children = new Map<Commit, Commit[]>();
  for (const commit of commits) {
    const key = keyOfAnswer(commit) ?? storedFor(commit, inFlight);
    const from = origins.get(key ?? "");
    if (key !== undefined) parents.set(commit, from);
    if (from) children.set(from.commit, [...(children.get(from.commit) ?? []), commit]);
    for (const [name, origin] of originsIn(commit)) origins.set(name, origin);
    for (const effect of commit.effects ?? []) inFlight.set(effect.number, effect);
    inFlight.delete(commit.settled ?? 0);
  }
  return { parents, children };
}

function originsIn(commit: Commit): readonly (readonly [string, Origin])[] {
  const { scheduled = [], effects = [] } = commit;
  return [
    ...scheduled.map(({ number, kind, ref }) => [`event ${number}`, { commit, kind, ref }] as const),
    ...effects.map(({ number, kind, ref }) => [`effect ${number}`, { commit, kind, ref }] as const),
  ];
}

function keyOfAnswer({ fired, settled }: Commit): string | undefined {
  if (fired !== undefined) return `event ${fired}`;
  return settled === undefined ? undefined : `effect ${settled}`;
}

/** The effect in flight that writes an object: exports use the object store as clients. */
function storedFor({ cause }: Commit, inFlight: ReadonlyMap<number, Effect>): string | undefined {
  if (cause.type !== "object_storage" || cause.ref === undefined) return undefined;
  for (const { number, data } of inFlight.values()) {
    const { key } = data as { readonly key?: unknown };
    if (typeof key === "string" && cause.ref.endsWith(key)) return `effect ${number}`;
  }
  return undefined;
}

function chainTo(last: Commit, links: Links): readonly CausedTurn[] {
  const chain: CausedTurn[] = [];
  for (let commit: Commit | undefined = last; commit; commit = links.parents.get(commit)?.commit)
    chain.push(causedTurn(commit, links));
  return chain;
}

function causedTurn(commit: Commit, { parents }: Links): CausedTurn {
  if (!parents.has(commit)) return entryOf(commit);
  const { name, ref: about = "" } = commit.cause;
  const { kind = name, ref = about, commit: from } = parents.get(commit) ?? {};
  return { ...entryOf(commit), because: { kind, ref, of_turn: from?.turn ?? null } };
}

function effectsOf(first: Commit, links: Links): readonly CausedTurn[] {
  const effects = new Set<Commit>();
  const open = [first];
  for (let commit = open.pop(); commit; commit = open.pop())
    for (const child of links.children.get(commit) ?? [])
      if (!effects.has(child)) {
        effects.add(child);
        open.push(child);
      }
  return [...effects].sort((a, b) => a.turn - b.turn).map((commit) => causedTurn(commit, links));
}
