import type { Commit, Effect } from "../kernel/commit.ts";
import { entryOf } from "../kernel/journal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CausedTurn, Causes } from "../subjects/causes.ts";
import type { ControlContext, HistoryTurn } from "../subjects/control-operation.ts";
import { PROJECTS } from "../subjects/projects/projects.ts";

const MAX_EFFECTS = 1_000;
const ROWS = "rows";

/** Finds the causes of what has this id; refuses one that the history has nothing about (404). */
export function causesOf(context: ControlContext, id: string, withEffects: boolean): Causes {
  const turns = [...context.turns()];
  const links = linksOf(turns.map(({ commit }) => commit));
  const subject = recordNamed(turns, id) ?? rowNamed(context, turns, id);
  if (!subject)
    throw new Refusal(
      404,
      "unknown_id",
      `The history of this world, which begins with turn ${turns[0]?.commit.turn ?? "?"}, has nothing about ${id.slice(0, 200)}.`,
      "Give the id of an export, a run, a delivery or a trace row, or an object as bucket/key.",
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

/** A record under its key, or under the end of one; else what turns were about. */
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

function changeOf(commits: readonly Commit[], isMeant: (key: string) => boolean): Subject | undefined {
  const changed = (commit: Commit): string | undefined =>
    changesIn(commit)
      .find(([, key]) => isMeant(key))
      ?.join("/");
  return subjectIn(
    commits.filter((commit) => changed(commit) !== undefined),
    (commit) => changed(commit) ?? "",
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

/** The turn that wrote a trace row as it is now, by the numbers of rows. */
function rowNamed({ world }: ControlContext, turns: readonly HistoryTurn[], id: string): Subject | undefined {
  const { traces } = world.ports;
  const wanted = id.toLowerCase();
  const tenants = new Map<string, { region: string; tenantId: string }>();
  for (const { region, tenant_id: tenantId } of world.reader.all(PROJECTS))
    tenants.set(`${region} ${tenantId}`, { region, tenantId });
  for (const scope of tenants.values()) {
    const present = traces.read(scope, wanted);
    if (!present) continue;
    const text = JSON.stringify(present);
    const versionAt = (mark: number) => traces.readAsOf(scope, wanted, mark);
    const first = firstWhere(turns, ({ rows }) => versionAt(rows) !== undefined);
    const last = firstWhere(turns, ({ rows }) => JSON.stringify(versionAt(rows)) === text);
    if (first && last) return { found: `${ROWS}/${wanted}`, first: first.commit, last: last.commit };
  }
  return undefined;
}

/** The first for which it holds, when it holds for all behind that. */
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

/** What a turn has asked for. */
interface Origin {
  readonly kind: string;
  readonly ref: string;
  readonly commit: Commit;
}

/** Which turn answers what; `undefined` for what was asked for before the history. */
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
    for (const [name, what] of originsIn(commit)) origins.set(name, what);
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

/** The effect in flight that has an object written: the client of an export is one of the object store's. */
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
  const found = new Set<Commit>();
  const open = [first];
  for (let commit = open.pop(); commit; commit = open.pop())
    for (const child of links.children.get(commit) ?? [])
      if (!found.has(child)) {
        found.add(child);
        open.push(child);
      }
  return [...found].sort((a, b) => a.turn - b.turn).map((commit) => causedTurn(commit, links));
}
