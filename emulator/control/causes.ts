import type { Commit, Effect } from "../kernel/commit.ts";
import { entryOf } from "../kernel/journal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CausedTurn, Causes } from "../subjects/causes.ts";
import type { ControlContext, HistoryTurn } from "../subjects/control-operation.ts";
import { PROJECTS } from "../subjects/projects/projects.ts";
import type { World } from "../subjects/turn.ts";

const MAX_EFFECTS = 1_000;
const ROWS = "rows";

/** Finds the causes of the record, object or row with this id; refuses an id that the history does not contain (404). */
export function causesOf(context: ControlContext, id: string, withEffects: boolean): Causes {
  const turns = [...context.turns()];
  const links = linksOf(turns.map(({ commit }) => commit));
  const subject = recordNamed(turns, id) ?? rowNamed(context, turns, id);
  if (!subject)
    throw new Refusal(
      404,
      "unknown_id",
      `${id.slice(0, 200)} does not occur in the history of this world, which starts at turn ${turns[0]?.commit.turn ?? "?"}.`,
      "Give the id of an export, a run, a delivery or a trace row, or the bucket/key of an object.",
    );
  const { found, first, last } = subject;
  const chain = chainTo(last, links);
  const complete = chain.at(-1)?.because === undefined;
  if (!withEffects) return { id, found, chain, complete };
  const effects = effectsOf(first, links);
  return {
    id,
    found,
    chain,
    complete,
    effects: effects.slice(0, MAX_EFFECTS),
    effects_total: effects.length,
  };
}

interface Subject {
  readonly found: string;
  readonly first: Commit;
  readonly last: Commit;
}

/** The record with this key, or whose key ends with it; otherwise the turns whose cause refers to it. */
function recordNamed(turns: readonly HistoryTurn[], id: string): Subject | undefined {
  const commits = turns.map(({ commit }) => commit);
  const ending = `/${id}`;
  return (
    changeOf(commits, (key) => key === id) ??
    changeOf(commits, (key) => key.endsWith(ending)) ??
    subjectIn(
      commits.filter(({ cause }) => cause.ref === id),
      ({ cause }) => cause.name,
    )
  );
}

function changeOf(commits: readonly Commit[], matches: (key: string) => boolean): Subject | undefined {
  const changedKey = (commit: Commit): string | undefined =>
    changesIn(commit)
      .find(([, key]) => matches(key))
      ?.join("/");
  return subjectIn(
    commits.filter((commit) => changedKey(commit) !== undefined),
    (commit) => changedKey(commit) ?? "",
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

function subjectIn(commits: readonly Commit[], nameOf: (commit: Commit) => string): Subject | undefined {
  const [first, last] = [commits[0], commits.at(-1)];
  return first && last && { found: nameOf(last), first, last };
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
    const first = firstWhere(turns, ({ rows }) => versionAt(rows) !== undefined);
    const last = firstWhere(turns, ({ rows }) => JSON.stringify(versionAt(rows)) === text);
    if (first && last) return { found: `${ROWS}/${rowId}`, first: first.commit, last: last.commit };
  }
  return undefined;
}

/** The workspaces that may have trace rows: those with a project. */
export function workspacesIn({ reader }: World): Iterable<WorkspaceScope> {
  const scopes = new Map<string, WorkspaceScope>();
  for (const { region, tenant_id: tenantId } of reader.all(PROJECTS))
    scopes.set(`${region} ${tenantId}`, { region, tenantId });
  return scopes.values();
}

interface WorkspaceScope {
  readonly region: string;
  readonly tenantId: string;
}

/** Binary search for the first turn that matches; all turns after it match too. */
function firstWhere(
  turns: readonly HistoryTurn[],
  holds: (turn: HistoryTurn) => boolean,
): HistoryTurn | undefined {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(turns[middle] as HistoryTurn)) high = middle;
    else low = middle + 1;
  }
  return turns[low];
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
