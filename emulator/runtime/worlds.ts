import { MAIN } from "../http/world-choice.ts";
import type { Beginning } from "../kernel/commit.ts";
import type { WorldImage } from "../kernel/image.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Homes } from "../storage/folders/homes.ts";
import { type Home, isUsual, type WorldEntry, withWorld } from "../storage/folders/registry.ts";
import type { WorldOrder } from "../subjects/control-operation.ts";
import type { Origin, Source } from "./fork-source.ts";
import { type NamedWorld, type OpenWorlds, unknownWorld } from "./open-worlds.ts";
import { refuseName, SEEDED, type Stills } from "./snapshots.ts";

/** What is known of a world without opening it. */
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
  /** Begins empty or seeded, if wanted in its own way; or goes on from a world or a snapshot as that stands. */
  create(order: WorldOrder): Promise<WorldFacts>;
  /** Begins a world that was never in use with a snapshot, as it is seen from now. */
  begin(id: string, snapshot: string, seen: (image: WorldImage) => WorldImage): void;
  remove(id: string): void;
  /** Begins a world anew, empty or with what the configuration gives it. */
  reset(named: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Puts what a snapshot holds in the place of what a world holds. */
  load(named: NamedWorld, snapshot: string): void;
}

/** What worlds are made with; `worldsMax` bounds how many there may be. */
export interface WorldsParts {
  readonly homes: Homes;
  readonly stills: Stills;
  readonly open: OpenWorlds;
  readonly worldsMax: number;
}

/** A world that could not be given what it begins with is removed again. */
export function createWorlds(parts: WorldsParts): Worlds {
  const { homes, stills, open } = parts;

  async function begin(id: string, isEmpty: boolean, beginning?: Beginning): Promise<string> {
    const home = homes.prepare("worlds", id);
    register(homes, id, { home, from: isEmpty ? null : SEEDED, ...(beginning && { beginning }) });
    const named = open.enter(id, home);
    try {
      await open.seed(named, isEmpty);
    } catch (error) {
      // A world that is there holds all that it begins with. Somebody may have removed this one already.
      if (open.find(id) === named) remove(id);
      throw error;
    }
    return id;
  }

  function fork(wanted: string | undefined, from: string): Promise<string> {
    return withSource(parts, from, (source) => {
      const id = wanted ?? freeName(homes);
      // Somebody else may have been quicker.
      refuseTaken(parts, id);
      const { home, origin } = source.fill(homes.prepare("worlds", id));
      register(homes, id, { home, from });
      open.enter(id, home, origin);
      return id;
    });
  }

  /** In one go, so that of two who ask for it one is told that there is no such world. */
  function remove(id: string): void {
    if (id === MAIN)
      throw new Refusal(409, "main_stays", "The world main cannot be removed; reset it instead.");
    if (!Object.hasOwn(homes.registry.worlds, id)) throw unknownWorld(id);
    const { [id]: _, ...worlds } = homes.registry.worlds;
    const written = (): void => {
      const named = open.find(id);
      open.drop(id);
      if (named) open.end(named, new Refusal(404, "world_removed", `The world ${id} was removed.`));
    };
    homes.change({ ...homes.registry, worlds }, { written });
  }

  const factsOf = (id: string): WorldFacts => {
    return { id, from: homes.registry.worlds[id]?.from ?? null, named: open.find(id) };
  };

  return {
    list: () => Object.keys(homes.registry.worlds).map(factsOf),
    async create({ id, from, beginning }) {
      refuseTaken(parts, id ?? freeName(homes));
      if (beginning) refuseBeginning(from);
      const isNew = from === undefined || (from === SEEDED && (beginning || !stills.source(SEEDED)));
      const made = isNew ? begin(id ?? freeName(homes), from === undefined, beginning) : fork(id, from);
      return factsOf(await made);
    },
    begin(id, snapshot, seen) {
      const source = stills.source(snapshot);
      const first = homes.registry.worlds[id];
      if (!source || !first) throw unknownSource(snapshot);
      const image = seen(source.image);
      const { objects } = first.home;
      homes.empty(objects);
      const { home, origin } = source.fill({ ...homes.prepare("worlds", id), objects });
      register(homes, id, { ...first, home, from: snapshot });
      open.enter(id, home, { ...origin, image });
    },
    remove,
    async reset(named, isEmpty) {
      const isLikeOthers = !isEmpty && isUsual(homes.registry, named.id);
      const source = isLikeOthers ? stills.source(SEEDED) : undefined;
      if (source) return goOn(parts, named, source, SEEDED);
      const home = homes.prepare("worlds", named.id);
      replace(parts, named, inOldPlace(homes, named, home), isEmpty ? null : SEEDED);
      await open.seed(named, isEmpty);
    },
    load(named, name) {
      const source = stills.source(name);
      if (!source) throw unknownSource(name);
      goOn(parts, named, source, name);
    },
  };
}

async function withSource<T>(
  { stills, open }: WorldsParts,
  name: string,
  use: (source: Source) => T,
): Promise<T> {
  const still = stills.source(name);
  if (still) return use(still);
  const named = await open.wake(name);
  if (!named) throw unknownSource(name);
  return named.site.atRest(use);
}

function register(
  { registry, change }: Homes,
  id: string,
  entry: WorldEntry,
  options?: Parameters<Homes["change"]>[1],
): void {
  change(withWorld(registry, id, entry), options);
}

/** People look for exported files where they found them last, so their folder keeps its name if it may. */
function inOldPlace(homes: Homes, { site }: NamedWorld, home: Home): Home {
  const { objects } = site.home;
  return homes.heirsOf(objects).length === 0 ? { ...home, objects } : home;
}

function goOn(parts: WorldsParts, named: NamedWorld, source: Source, from: string): void {
  const { homes } = parts;
  const { home, origin } = source.fill(homes.prepare("worlds", named.id));
  // Without a `boot` there are bodies in the new folder already, and the old one has others.
  const place = origin.boot === undefined ? home : inOldPlace(homes, named, home);
  replace(parts, named, place, from, origin);
}

/** The old world ends when all that the new one needs is there, and that is written down. */
function replace(
  { homes, open }: WorldsParts,
  named: NamedWorld,
  home: Home,
  from: string | null,
  origin?: Origin,
): void {
  const { objects } = named.site.home;
  const entry = homes.registry.worlds[named.id];
  register(
    homes,
    named.id,
    { ...entry, home, from },
    {
      vacated: home.objects === objects ? objects : undefined,
      written: () =>
        open.end(named, new Refusal(409, "reset", "The world was reset while this request was under way.")),
    },
  );
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

/** What goes on from something stands where that stood. */
function refuseBeginning(from: string | undefined): void {
  if (from !== undefined && from !== SEEDED)
    throw new Refusal(
      422,
      "invalid_request",
      `A world that goes on from ${from} has the seed, the time and the clock of that.`,
      "Leave seed, now and clock out, or make an empty or a seeded world.",
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
