import type { Homes } from "./adapters/homes/homes.ts";
import type { Home } from "./adapters/homes/registry.ts";
import { MAIN } from "./http/world-choice.ts";
import { Refusal } from "./kernel/refusal.ts";
import { type NamedWorld, type OpenWorlds, unknownWorld } from "./open-worlds.ts";
import { refuseName, SEEDED, type Stills } from "./snapshots.ts";
import type { Origin, Source } from "./source.ts";

export interface WorldFacts {
  readonly id: string;
  /** The world or snapshot that it began with; null for one that began empty. */
  readonly from: string | null;
  /** Undefined for a world that was kept and not used yet. */
  readonly named: NamedWorld | undefined;
}

/** The worlds of a process: made, begun anew and removed. */
export interface Worlds {
  list(): readonly WorldFacts[];
  /** Begins empty, or goes on from a world or a snapshot. */
  create(id?: string, from?: string): Promise<WorldFacts>;
  remove(id: string): Promise<void>;
  /** Begins a world anew, empty or with what the configuration gives it. */
  reset(named: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Puts what a snapshot holds in the place of what a world holds. */
  load(named: NamedWorld, snapshot: string): void;
}

export interface WorldsParts {
  readonly homes: Homes;
  readonly stills: Stills;
  readonly open: OpenWorlds;
  readonly worldsMax: number;
}

export function createWorlds(parts: WorldsParts): Worlds {
  const { homes, stills, open } = parts;

  async function begin(id: string, isEmpty: boolean): Promise<void> {
    const home = homes.prepare("worlds", id);
    register(homes, id, home, isEmpty ? null : SEEDED);
    await open.seed(open.enter(id, home), isEmpty);
  }

  async function fork(id: string, from: string): Promise<void> {
    await withSource(parts, from, (source) => {
      // Somebody else may have been quicker.
      refuseTaken(parts, id);
      const { home, origin } = source.fill(homes.prepare("worlds", id));
      register(homes, id, home, from);
      open.enter(id, home, origin);
    });
  }

  const factsOf = (id: string): WorldFacts => {
    return { id, from: homes.registry.worlds[id]?.from ?? null, named: open.find(id) };
  };

  return {
    list: () => Object.keys(homes.registry.worlds).map(factsOf),
    async create(id = freeName(homes), from) {
      refuseTaken(parts, id);
      const isNew = from === undefined || (from === SEEDED && !stills.source(SEEDED));
      await (isNew ? begin(id, from === undefined) : fork(id, from));
      return factsOf(id);
    },
    async remove(id) {
      if (id === MAIN)
        throw new Refusal(409, "main_stays", "The world main cannot be removed; reset it instead.");
      const named = await open.wake(id);
      if (!named) throw unknownWorld(id);
      const { [id]: _, ...worlds } = homes.registry.worlds;
      open.drop(id);
      open.end(named, new Refusal(404, "world_removed", `The world ${id} was removed.`));
      homes.change({ ...homes.registry, worlds });
    },
    async reset(named, isEmpty) {
      const source = isEmpty ? undefined : stills.source(SEEDED);
      if (source) return goOn(parts, named, source, SEEDED);
      replace(parts, named, prepareAnew(homes, named), isEmpty ? null : SEEDED);
      await open.seed(named, isEmpty);
    },
    load(named, name) {
      const source = stills.source(name);
      if (!source) throw unknownSource(name);
      goOn(parts, named, source, name);
    },
  };
}

async function withSource(
  { stills, open }: WorldsParts,
  name: string,
  use: (source: Source) => void,
): Promise<void> {
  const still = stills.source(name);
  if (still) return use(still);
  const named = await open.wake(name);
  if (!named) throw unknownSource(name);
  await named.site.atRest(use);
}

function register(homes: Homes, id: string, home: Home, from: string | null): void {
  const { registry } = homes;
  homes.change({ ...registry, worlds: { ...registry.worlds, [id]: { home, from } } });
}

/** People look for exported files where they found them last, so their folder keeps its name if it may. */
function prepareAnew(homes: Homes, { id, site }: NamedWorld): Home {
  const { objects } = site.home;
  const home = homes.prepare("worlds", id);
  return homes.heirsOf(objects).length === 0 ? { ...home, objects } : home;
}

function goOn(parts: WorldsParts, named: NamedWorld, source: Source, from: string): void {
  const { home, origin } = source.fill(prepareAnew(parts.homes, named));
  replace(parts, named, home, from, origin);
}

/** The old world ends when all that the new one needs is there. */
function replace(
  { homes, open }: WorldsParts,
  named: NamedWorld,
  home: Home,
  from: string | null,
  origin?: Origin,
): void {
  const { objects } = named.site.home;
  open.end(named, new Refusal(409, "reset", "The world was reset while this request was under way."));
  register(homes, named.id, home, from);
  if (home.objects === objects) homes.empty(objects);
  open.move(named, home, origin);
}

function freeName({ registry }: Homes): string {
  for (let n = 1; ; n += 1) {
    const name = `world-${n}`;
    if (!Object.hasOwn(registry.worlds, name) && !Object.hasOwn(registry.snapshots, name)) return name;
  }
}

function refuseTaken({ homes, worldsMax }: WorldsParts, id: string): void {
  const { worlds, snapshots } = homes.registry;
  refuseName(id);
  if (Object.hasOwn(worlds, id)) throw new Refusal(409, "taken", `There is a world ${id} already.`);
  if (Object.hasOwn(snapshots, id))
    throw new Refusal(
      409,
      "taken",
      `${id} is the name of a snapshot; worlds and snapshots share their names.`,
    );
  if (Object.keys(worlds).length >= worldsMax)
    throw new Refusal(
      422,
      "too_many_worlds",
      `There are ${worldsMax} worlds already.`,
      "Remove one with DELETE /_emulator/v1/worlds/{id}, or raise limits.worlds.",
    );
}

function unknownSource(name: string): Refusal {
  return new Refusal(
    404,
    "unknown_source",
    `There is neither a world nor a snapshot ${name}.`,
    "GET /_emulator/v1/worlds and GET /_emulator/v1/snapshots list them.",
  );
}
