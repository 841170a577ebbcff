import { createRecording, type Recording } from "../control/recording.ts";
import { MAIN } from "../http/world-choice.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Homes } from "../storage/folders/homes.ts";
import { type Home, isUsual, type WorldEntry, withWorld } from "../storage/folders/registry.ts";
import type { Origin } from "./fork-source.ts";
import { SEEDED, type Stills } from "./snapshots.ts";
import type { Site } from "./world-runtime.ts";

/** A world under its name: what runs there now, and what it was asked lately. */
export interface NamedWorld {
  readonly id: string;
  /** Another one after each reset. */
  site: Site;
  recording: Recording;
  /** Settles when the world holds all that it begins with; undefined when it does. */
  seeding: Promise<void> | undefined;
}

/** What worlds are opened with. */
export interface OpenWorldsParts {
  readonly homes: Homes;
  readonly stills: Stills;
  /** Opens a world at its home. */
  open(id: string, home: Home, origin?: Origin): Site;
  /** Gives a fresh world what it begins with. */
  seed(site: Site, isEmpty: boolean): Promise<void>;
}

/** The worlds that are in use; others lie in their homes until somebody asks for them. */
export interface OpenWorlds {
  find(id: string): NamedWorld | undefined;
  /** Opens a world that was kept and not used yet; undefined when there is none of this name. */
  wake(id: string): Promise<NamedWorld | undefined>;
  enter(id: string, home: Home, origin?: Origin): NamedWorld;
  /** Opens another home under the name of a world, whose own has ended. */
  move(named: NamedWorld, home: Home, origin?: Origin): void;
  seed(named: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Ends what runs there; its files are let go in the background. */
  end(named: NamedWorld, reason: Refusal): void;
  drop(id: string): void;
  close(): Promise<void>;
}

/** A world is opened once, however many ask for it at the same time. */
export function createOpenWorlds({ homes, stills, ...parts }: OpenWorldsParts): OpenWorlds {
  const open = new Map<string, NamedWorld>();
  const waking = new Map<string, Promise<NamedWorld>>();
  const ending = new Set<Promise<void>>();

  function enter(id: string, home: Home, origin?: Origin): NamedWorld {
    const site = parts.open(id, home, origin);
    const named = { id, site, recording: createRecording(site.isFresh), seeding: undefined };
    open.set(id, named);
    return named;
  }

  async function fill({ id, site }: NamedWorld, isEmpty: boolean): Promise<void> {
    homes.begin(site.home);
    await parts.seed(site, isEmpty);
    await site.kept();
    homes.begun(site.home);
    if (!isEmpty && isUsual(homes.registry, id)) await stills.keepSeeded(site);
  }

  /** Until it has all that it begins with, and that is kept for others to begin with, a world answers nobody. */
  async function seed(named: NamedWorld, isEmpty: boolean): Promise<void> {
    const filling = fill(named, isEmpty);
    const seeding = filling
      .catch(() => undefined)
      .finally(() => {
        if (named.seeding === seeding) named.seeding = undefined;
      });
    named.seeding = seeding;
    await filling;
  }

  /** A world that was being filled when its process ended begins once more. */
  function wholeHome(id: string, entry: WorldEntry): Home {
    if (!homes.isHalf(entry.home)) return entry.home;
    const home = homes.prepare("worlds", id);
    homes.change(withWorld(homes.registry, id, { ...entry, home }));
    return home;
  }

  async function wakeUp(id: string, entry: WorldEntry): Promise<NamedWorld> {
    const named = enter(id, wholeHome(id, entry));
    // The first start, or one that ended before the world was given what a fresh one holds.
    if (named.site.isFresh) await seed(named, id !== MAIN && entry.from !== SEEDED);
    return named;
  }

  return {
    find: (id) => open.get(id),
    async wake(id) {
      const known = waking.get(id) ?? open.get(id);
      const { worlds } = homes.registry;
      const entry = Object.hasOwn(worlds, id) ? worlds[id] : undefined;
      if (known || !entry) return known;
      const woken = wakeUp(id, entry).finally(() => waking.delete(id));
      waking.set(id, woken);
      return woken;
    },
    enter,
    move(named, home, origin) {
      named.site = parts.open(named.id, home, origin);
      named.recording = createRecording(named.site.isFresh);
    },
    seed,
    end({ site }, reason) {
      // Whatever it fails to leave behind, nobody looks for it any more.
      const ended = site
        .end(reason)
        .catch(() => undefined)
        .finally(() => ending.delete(ended));
      ending.add(ended);
    },
    drop: (id) => void open.delete(id),
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map(({ site }) => site.close()));
      await Promise.all(ending);
    },
  };
}

/** For a request that names a world which is not there. */
export function unknownWorld(id: string): Refusal {
  return new Refusal(
    404,
    "unknown_world",
    id === "" ? "The world has no name." : `There is no world ${id}.`,
    'POST /_emulator/v1/worlds {"id":…} makes one; GET lists them.',
  );
}
