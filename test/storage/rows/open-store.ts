import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import { type Manifests, openManifests } from "../../../emulator/storage/pool/manifests.ts";
import { newManifest } from "../../../emulator/storage/pool/names.ts";
import { openPool, type Pool } from "../../../emulator/storage/pool/pool.ts";
import { rowOf } from "../../../emulator/storage/rows/lines.ts";
import { createPartitionReader } from "../../../emulator/storage/rows/partition-reader.ts";
import type { RowStore } from "../../../emulator/storage/rows/store.ts";
import { createSecrets } from "../../../emulator/storage/secrets.ts";
import {
  openWorldStorage,
  type StoredImage,
  type WorldStorage,
} from "../../../emulator/storage/world-storage.ts";
import { OBJECT_STORAGE_COLLECTIONS } from "../../../emulator/subjects/object-storage/records.ts";
import type { PartitionWindow } from "../../../emulator/subjects/traces/port.ts";
import { buildRow } from "../../../emulator/subjects/traces/row.ts";

/** The rows of a world in which each write is a turn of its own, kept at once. */
export interface TestRows extends RowStore {
  readonly storage: WorldStorage;
  readonly pool: Pool;
  readonly manifests: Manifests;
  /** Another world that begins with these rows. */
  fork(): TestRows;
  /** Saves it under a name, and loads it from there. */
  saveAndLoad(snapshot: string): Promise<TestRows>;
  /** The same rows as a process finds them that starts now. */
  reopen(): TestRows;
  close(): void;
}

/** Of every process that opens a folder. */
const SECRETS = createSecrets(Buffer.alloc(32, 7));
const STATE = emptyState(1, 0, { mode: "frozen", rate: 1 });
const CAUSE = { type: "request", name: "test" } as const;

/** What a store is opened with; one that is not kept is gone with its process. */
interface TestStore {
  readonly folder: string;
  readonly world?: string;
  readonly isPersistent?: boolean;
}

/** Opens the rows of a data folder. */
export function openTraceStore({ folder, world = "main", isPersistent = true }: TestStore): TestRows {
  const pool = openPool(folder, isPersistent);
  return openIn(pool, openManifests(pool, SECRETS), world);
}

function openIn(pool: Pool, manifests: Manifests, name: string, source?: StoredImage): TestRows {
  const storage = openWorldStorage({
    pool,
    manifests,
    name,
    initial: STATE,
    reader: () => image.records.reader,
    secrets: SECRETS,
    collections: OBJECT_STORAGE_COLLECTIONS as never,
    ...(source && { source }),
  });
  const { rows, image } = storage;
  let { turn } = image;
  let forks = 0;
  const presentImage = () => ({ ...image, turn });
  return {
    ...rows,
    storage,
    pool,
    manifests,
    write(scope, written) {
      rows.write(scope, written);
      turn += 1;
      storage.persist({ turn, now: 0, cause: CAUSE });
    },
    fork() {
      const from = storage.source(presentImage());
      forks += 1;
      const fork = `${name}-${forks}`;
      manifests.putWorld(fork, {
        manifest: newManifest(manifests.nextOwner(), true, from.manifest),
        from: name,
      });
      return openIn(pool, manifests, fork, from);
    },
    async saveAndLoad(snapshot) {
      const from = storage.source(presentImage());
      manifests.putSnapshot(snapshot, { manifest: from.manifest, of: name, now: "", turn });
      const entry = { manifest: newManifest(manifests.nextOwner(), true, from.manifest), from: snapshot };
      manifests.putWorld(name, entry, () => storage.end());
      await storage.close(undefined);
      return openIn(pool, manifests, name, from);
    },
    reopen: () => openTraceStore({ folder: pool.root, world: name }),
    close: () => pool.files.release(pool.folder(0).slice(0, -2)),
  };
}

export const SCOPE = { region: "us", tenantId: "00000000-0000-4000-8000-000000000001" } as const;
export const SESSION = "5e550000-0000-4000-8000-000000000001";
export const DAY = "2025-03-01";

/** The nth id; ids do not ascend with n. */
export function idOf(n: number): string {
  const mixed = (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${mixed}-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** The instant so many microseconds into 1 March 2025. */
export function instant(micros: number, day = DAY): string {
  const ms = Date.parse(`${day}T00:00:00Z`) + Math.floor(micros / 1000);
  return `${new Date(ms).toISOString().slice(0, 23)}${String(micros % 1000).padStart(3, "0")}Z`;
}

export function sampleRow(n: number, changes: Partial<TraceRow> = {}): TraceRow {
  return {
    ...buildRow(idOf(n), {}, instant(0), () => undefined),
    session_id: SESSION,
    name: `step ${n}`,
    run_type: "chain",
    start_time: instant(n * 1000),
    status: "pending",
    dotted_order: `20250301T000000000000Z${idOf(n)}`,
    trace_tier: "shortlived",
    tags: ["a", "b"],
    total_tokens: 3,
    prompt_tokens: 2,
    completion_tokens: 1,
    total_cost: "0.10",
    completion_cost: "0.000000000001",
    inputs: { question: `number ${n}` },
    extra: { metadata: { n } },
    events: [],
    ...changes,
  };
}

/** A folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "traces-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function wholeDay(asOf: number, day = DAY): PartitionWindow {
  return {
    ...SCOPE,
    sessionId: SESSION,
    day,
    asOf,
    start: instant(0, day),
    end: "9999-01-01T00:00:00.000000Z",
  };
}

/** All rows of a window as a fresh reader of a folder, or of a store, sees them, a few at a time. */
export function readAll(
  where: string | TestRows["location"],
  window: PartitionWindow,
  rowsAtATime = 1000,
): TraceRow[] {
  const reader = createPartitionReader(
    typeof where === "string" ? openTraceStore({ folder: where }).location : where,
  );
  try {
    const source = reader.open(window, null);
    const rows: TraceRow[] = [];
    for (;;) {
      const batch = source.take(rowsAtATime, Number.MAX_SAFE_INTEGER, true);
      if (batch.length === 0) return rows;
      rows.push(...batch.map(({ line }) => rowOf(line)));
    }
  } finally {
    reader.close();
  }
}
