import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import { liveTimeline } from "../../../emulator/kernel/timeline.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import { eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../../emulator/runtime/worlds/dry-run.ts";
import { locateBody } from "../../../emulator/storage/objects/body-location.ts";
import { type Manifests, openManifests } from "../../../emulator/storage/pool/manifests.ts";
import { newManifest } from "../../../emulator/storage/pool/names.ts";
import { openPool, type Pool } from "../../../emulator/storage/pool/pool.ts";
import { createSecrets } from "../../../emulator/storage/secrets.ts";
import { filesOf, sweep } from "../../../emulator/storage/unneeded-files.ts";
import {
  IN_JOURNAL,
  openWorldStorage,
  type StoredImage,
  type WorldStorage,
} from "../../../emulator/storage/world-storage.ts";
import { createDelays } from "../../../emulator/subjects/object-storage/delays.ts";
import { putObject } from "../../../emulator/subjects/object-storage/objects.ts";
import {
  OBJECT_STORAGE_COLLECTIONS,
  objects,
  type StoredObject,
} from "../../../emulator/subjects/object-storage/records.ts";
import type { EmulatorTypes, Ports, World } from "../../../emulator/subjects/turn.ts";
import {
  idOf,
  instant,
  readAll,
  SCOPE,
  SESSION,
  sampleRow,
  wholeDay,
} from "../../storage/rows/open-store.ts";

const SECRETS = createSecrets();
const DAYS = ["2025-03-01", "2025-03-02"];
const MAX_IDS = 5;
const KEYS = ["a.txt", "b/c.txt", "Ü"];
const BUCKET = "traces";
/** A body of this size shares no file. */
const OWN_FILE_BYTES = 64 * 1024;
const STATE = emptyState(1, 0, { mode: "frozen", rate: 1 });
const HEADERS = { content_type: "text/plain", headers: {}, metadata: {}, etag: "", checksums: {} } as const;

/** What a world must hold: all versions of its rows by their number, and bodies by key. */
interface Model {
  readonly versions: readonly TraceRow[];
  readonly bodies: ReadonlyMap<string, string>;
}

interface TestWorld {
  readonly storage: WorldStorage;
  readonly world: World;
}

const place = fc.nat({ max: 30 });
const version = fc.record({
  n: fc.nat({ max: MAX_IDS }),
  day: fc.constantFrom(...DAYS),
  micros: fc.nat({ max: 3 }),
});
const versions = fc.array(version, { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("write" as const), place, versions }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("put" as const), place, key: fc.constantFrom(...KEYS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("delete" as const), place, key: fc.constantFrom(...KEYS) }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom("fork" as const, "snapshot" as const, "load" as const),
      place,
      from: place,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("remove" as const, "check" as const, "stop" as const, "kill" as const),
      place,
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A data folder with worlds and snapshots, and a model of their contents. */
class Folder {
  readonly root = mkdtempSync(join(tmpdir(), "model-"));
  readonly models = new Map<string, Model>([["main", { versions: [], bodies: new Map() }]]);
  readonly snapshots = new Map<string, Model>();
  readonly #open = new Map<string, TestWorld>();
  readonly #images = new Map<string, StoredImage>();
  #pool: Pool = openPool(this.root, true);
  #manifests: Manifests = openManifests(this.#pool, SECRETS);
  #names = 0;

  open(name: string, source?: StoredImage): TestWorld {
    const openWorld = this.#open.get(name);
    if (openWorld) return openWorld;
    const collections = OBJECT_STORAGE_COLLECTIONS as never;
    const storage = openWorldStorage({
      pool: this.#pool,
      manifests: this.#manifests,
      name,
      initial: STATE,
      reader: () => world.reader,
      secrets: SECRETS,
      collections,
      // Small, so that journals are folded on the way too, and some worlds end in their journals.
      foldAtBytes: 4000,
      largeBytes: 3000,
      ...(source && { source }),
    });
    const world = createWorld<EmulatorTypes>({
      image: source?.image ?? storage.image,
      ports: { bodies: storage.bodies.keeper } as Ports,
      events: eventReactions(createDelays()),
      results: RESULT_REACTIONS,
      effects: STUBBED_EFFECTS,
      persist: storage.enqueue,
      flush: storage.flush,
      timeline: liveTimeline(10, (source?.image ?? storage.image).turn),
    });
    // A world without a turn is created again at the next start.
    if (storage.isFresh) world.turn({ type: "control", name: "begin" }, () => undefined);
    const opened = { storage, world };
    this.#open.set(name, opened);
    return opened;
  }

  change(name: string, change: Partial<Model>): void {
    this.models.set(name, { ...(this.models.get(name) as Model), ...change });
  }

  write(name: string, rows: readonly TraceRow[]): void {
    const { storage, world } = this.open(name);
    world.turn({ type: "request", name: "write" }, () => storage.rows.write(SCOPE, rows));
    this.change(name, { versions: [...(this.models.get(name) as Model).versions, ...rows] });
  }

  async put(name: string, key: string, body: string): Promise<void> {
    const { storage, world } = this.open(name);
    const stage = storage.bodies.stage();
    await stage.write(Buffer.from(body));
    await stage.close();
    const { file, sum } = stage;
    const object = { ...HEADERS, file, sum, size: body.length, checksum_type: "FULL_OBJECT" } as const;
    world.turn({ type: "request", name: "put" }, (turn) => putObject(turn, { bucket: BUCKET, key }, object));
    this.change(name, { bodies: new Map(this.models.get(name)?.bodies).set(key, body) });
  }

  delete(name: string, key: string): void {
    const { world } = this.open(name);
    const before = world.reader.get(objects, `${BUCKET}/${key}`);
    if (!before) return;
    world.turn({ type: "request", name: "delete" }, (turn) => {
      turn.remove(objects, `${BUCKET}/${key}`);
      turn.ports.bodies.drop([before.file], { bucket: BUCKET, key });
    });
    const bodies = new Map(this.models.get(name)?.bodies);
    bodies.delete(key);
    this.change(name, { bodies });
  }

  #source(name: string): StoredImage {
    const { storage, world } = this.open(name);
    return storage.source(world.image());
  }

  fork(name: string): void {
    this.#enter(`world-${++this.#names}`, this.#source(name), this.models.get(name) as Model);
  }

  #enter(name: string, source: StoredImage, model: Model): void {
    const manifest = newManifest(this.#manifests.nextOwner(), true, source.manifest);
    this.#manifests.putWorld(name, { manifest, from: null }, () => {
      this.#open.get(name)?.storage.end();
      this.#open.delete(name);
    });
    this.models.set(name, model);
    this.open(name, source);
  }

  /** Of few names, so that snapshots are replaced. */
  snapshot(name: string, as: string): void {
    const source = this.#source(name);
    this.#manifests.putSnapshot(as, { manifest: source.manifest, of: name, now: "", turn: 1 });
    this.#images.set(as, source);
    this.snapshots.set(as, this.models.get(name) as Model);
  }

  load(name: string, snapshot: string): void {
    const source = this.#images.get(snapshot);
    if (source) this.#enter(name, source, this.snapshots.get(snapshot) as Model);
  }

  remove(name: string, snapshot: string | undefined): void {
    if (snapshot) {
      this.#manifests.putSnapshot(snapshot, null);
      this.snapshots.delete(snapshot);
      this.#images.delete(snapshot);
    }
    if (name === "main") return;
    this.#manifests.putWorld(name, null, () => {
      this.#open.get(name)?.storage.end();
      this.#open.delete(name);
    });
    this.models.delete(name);
  }

  /** Ends the process, as it should or in the middle of things, and begins the next one. */
  async restart(isClean: boolean): Promise<void> {
    for (const [name, { storage, world }] of this.#open) {
      storage.flush();
      if (isClean) {
        // As the runtime does: the next start does not export a copy again.
        storage.bodies.mirror.catchUp();
        await storage.close(storage.isLarge() ? IN_JOURNAL : world.state());
        // The next start has nothing to cut, and exports no copy again.
        const { journals = [] } = this.#manifests.worlds.get(name)?.manifest ?? {};
        expect(journals.at(-1)?.isBegun).toBeUndefined();
      } else storage.end();
    }
    this.#open.clear();
    this.#images.clear();
    if (isClean) sweep(this.#pool, this.#manifests);
    await this.#pool.settle();
    this.#manifests.close(isClean);
    this.#pool = openPool(this.root, true);
    this.#manifests = openManifests(this.#pool, SECRETS);
  }

  check(name: string): void {
    const { storage, world } = this.open(name);
    const { versions, bodies } = this.models.get(name) as Model;
    checkRows(storage, versions);
    expect(bodiesOf(this.#pool, world)).toStrictEqual(Object.fromEntries([...bodies].sort()));
  }

  /** Loads every snapshot, and takes it away again. */
  checkSnapshots(): void {
    for (const [name, model] of this.snapshots) {
      const source = this.#images.get(name);
      const looked = `looked-${name}`;
      if (!source) continue;
      this.#enter(looked, source, model);
      this.check(looked);
      this.remove(looked, undefined);
    }
  }

  /** Every file that a manifest leads to is there, and no other. */
  checkFiles(): void {
    const needed = new Set(
      [...this.#manifests.leadingTo(this.#pool.owners())].flatMap((manifest) => [
        ...filesOf(this.#pool, manifest),
      ]),
    );
    const base = this.#pool.path("");
    const results = readdirSync(base, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(base, join(entry.parentPath, entry.name)));
    expect(results.filter((file) => !needed.has(file))).toStrictEqual([]);
    const missing = [...needed].filter((file) => !results.includes(file));
    // A journal is made with its first line.
    expect(missing.filter((file) => !/journal-\d+\.ndjson$/.test(file))).toStrictEqual([]);
  }

  /** People find the bodies that a world has written itself, under their keys. */
  checkView(name: string): void {
    const { world, storage } = this.open(name);
    const owner = this.#manifests.worlds.get(name)?.manifest.owner;
    const folder = storage.bodies.mirror.catchUp();
    for (const { key, file } of world.reader.list(objects) as Iterable<StoredObject>) {
      if (key === "Ü" || !file.startsWith(`${owner}/`)) continue;
      expect(readFileSync(join(folder, BUCKET, key))).toStrictEqual(bytesOf(this.#pool, file));
    }
  }

  async discard(): Promise<void> {
    await this.restart(false);
    this.#manifests.close(false);
    rmSync(this.root, { recursive: true });
  }
}

function bytesOf(pool: Pool, file: string): Buffer {
  const { path, start, length } = locateBody(pool, file);
  const bytes = readFileSync(path);
  return length === undefined ? bytes : bytes.subarray(start, start + length);
}

function bodiesOf(pool: Pool, { reader }: World): Record<string, string> {
  const results = [...reader.list(objects)].map(({ key, file, sum }): [string, string] => {
    const bytes = bytesOf(pool, file);
    return [key, crc32(bytes) === sum ? String(bytes) : "damaged"];
  });
  return Object.fromEntries(results.sort());
}

function latest(all: readonly TraceRow[]): TraceRow[] {
  const key = ({ start_time, id }: TraceRow): string => start_time + id;
  const newest = new Map(all.map((row) => [row.id, row]));
  return [...newest.values()].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function checkRows({ rows }: WorldStorage, all: readonly TraceRow[]): void {
  expect(rows.mark()).toBe(all.length);
  const latestRows = latest(all);
  for (let n = 0; n <= MAX_IDS; n += 1)
    expect(rows.read(SCOPE, idOf(n))).toStrictEqual(latestRows.find(({ id }) => id === idOf(n)));
  const list = [...rows.list(SCOPE, { sessionIds: [SESSION], order: "asc" })];
  expect(list.map((row) => row.read().name)).toStrictEqual(latestRows.map(({ name }) => name));
  const days = DAYS.filter((day) => latestRows.some(({ start_time }) => start_time.startsWith(day)));
  expect(rows.days(SCOPE, SESSION, instant(0), instant(0, "2025-03-03"))).toStrictEqual(days);
}

/** As of marks between writes: within one, a row that moves is in both of its days. */
function checkAsOf({ rows }: WorldStorage, all: readonly TraceRow[], marks: Iterable<number>): void {
  for (const mark of marks) {
    if (mark > all.length) continue;
    const latestRows = latest(all.slice(0, mark));
    for (const day of DAYS) {
      const inDay = latestRows.filter(({ start_time }) => start_time.startsWith(day));
      expect(readAll(rows.location, wholeDay(mark, day), 3)).toStrictEqual(inDay);
    }
    for (let n = 0; n <= MAX_IDS; n += 1)
      expect(rows.readAsOf(SCOPE, idOf(n), mark)?.name).toBe(
        latestRows.find(({ id }) => id === idOf(n))?.name,
      );
  }
}

async function applyStep(folder: Folder, each: Step, at: number): Promise<void> {
  const names = [...folder.models.keys()];
  const name = names[each.place % names.length] as string;
  const snapshot = `kept-${each.place % 3}`;
  if (each.kind === "write") {
    const rows = each.versions.map(({ n, day, micros }, row) =>
      sampleRow(n, { start_time: instant(micros, day), name: `${at}.${row}` }),
    );
    folder.write(name, rows);
  } else if (each.kind === "put")
    await folder.put(name, each.key, `${at} ${each.key}`.padEnd(at % 3 === 0 ? OWN_FILE_BYTES : 0));
  else if (each.kind === "delete") folder.delete(name, each.key);
  else if (each.kind === "fork") folder.fork(name);
  else if (each.kind === "snapshot") folder.snapshot(name, snapshot);
  else if (each.kind === "load") folder.load(name, snapshot);
  else if (each.kind === "remove") folder.remove(name, folder.snapshots.has(snapshot) ? snapshot : undefined);
  else if (each.kind === "check") folder.check(name);
  else await folder.restart(each.kind === "stop");
}

test("worlds, forks and snapshots behave like separate maps, however their process ends", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30 }), async (steps) => {
      const folder = new Folder();
      try {
        for (const [at, each] of steps.entries()) await applyStep(folder, each, at);
        folder.checkSnapshots();
        for (const name of folder.models.keys()) folder.check(name);
        await folder.restart(false);
        for (const name of folder.models.keys()) {
          folder.check(name);
          folder.checkView(name);
          const all = folder.models.get(name)?.versions ?? [];
          checkAsOf(folder.open(name).storage, all, marksOf(all));
        }
        await folder.restart(true);
        folder.checkFiles();
        for (const name of folder.models.keys()) folder.check(name);
      } finally {
        await folder.discard();
      }
    }),
    { numRuns: 120 },
  );
});

/** The numbers of rows after each write: its rows have names that begin alike. */
function marksOf(all: readonly TraceRow[]): number[] {
  const writeOf = (row: TraceRow | undefined) => row?.name?.split(".")[0];
  return all.flatMap((row, at) => (writeOf(row) === writeOf(all[at + 1]) ? [] : [at + 1]));
}
