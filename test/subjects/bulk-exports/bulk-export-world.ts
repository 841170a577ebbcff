import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { resolveConfiguration } from "../../../emulator/config/resolve.ts";
import { type AdvanceTarget, advance } from "../../../emulator/kernel/advance.ts";
import { emptyState, type WorldState } from "../../../emulator/kernel/commit.ts";
import { parseDuration } from "../../../emulator/kernel/duration.ts";
import { imageOf } from "../../../emulator/kernel/image.ts";
import type { JournalEntry } from "../../../emulator/kernel/journal.ts";
import { Refusal } from "../../../emulator/kernel/refusal.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import { COLLECTIONS, eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../../emulator/runtime/dry-run.ts";
import { cancelExport } from "../../../emulator/subjects/bulk-exports/cancel.ts";
import { createExport } from "../../../emulator/subjects/bulk-exports/create.ts";
import type { FileRequest } from "../../../emulator/subjects/bulk-exports/encoder.ts";
import type { FileWritten, WriteFile } from "../../../emulator/subjects/bulk-exports/events.ts";
import {
  type BulkExport,
  EXPORT_RUNS,
  EXPORTS,
  type ExportRun,
  SPAWNED,
} from "../../../emulator/subjects/bulk-exports/records.ts";
import { createSchedules } from "../../../emulator/subjects/crons/schedules.ts";
import { DESTINATIONS } from "../../../emulator/subjects/destinations/records.ts";
import { REQUEST_EFFECTS } from "../../../emulator/subjects/faults/effects.ts";
import { triggerS3Fault } from "../../../emulator/subjects/faults/hit.ts";
import { armFault } from "../../../emulator/subjects/faults/rules.ts";
import { compileFilter } from "../../../emulator/subjects/filters/compile.ts";
import { parseFilter } from "../../../emulator/subjects/filters/parse.ts";
import { admit } from "../../../emulator/subjects/object-storage/authorisation.ts";
import { createDelays } from "../../../emulator/subjects/object-storage/delays.ts";
import { messageOf, S3_ERRORS } from "../../../emulator/subjects/object-storage/errors.ts";
import {
  buckets,
  objects,
  s3Credentials,
  s3Parts,
  s3Uploads,
} from "../../../emulator/subjects/object-storage/records.ts";
import { SEEDED_KEY, seedObjectStorage } from "../../../emulator/subjects/object-storage/seed.ts";
import { PROJECTS } from "../../../emulator/subjects/projects/projects.ts";
import { createRateLimiter } from "../../../emulator/subjects/rate-limits/limiter.ts";
import type { LimitSettings, Settings, TimingSettings } from "../../../emulator/subjects/settings.ts";
import type { TraceStore } from "../../../emulator/subjects/traces/port.ts";
import type { EmulatorTypes, Turn } from "../../../emulator/subjects/turn.ts";

export const NOW = Date.UTC(2026, 0, 10);
export const BUCKET = "traces";
const TEST = { type: "control", name: "test" } as const;

/** A workspace with one project. */
export interface TestWorkspace {
  readonly region: string;
  readonly tenant_id: string;
}

export const OWN_WORKSPACE: TestWorkspace = {
  region: "us",
  tenant_id: "00000000-0000-4000-8000-000000000001",
};
export const OTHER_WORKSPACE: TestWorkspace = {
  region: "us",
  tenant_id: "00000000-0000-4000-8000-000000000002",
};

export function projectOf({ tenant_id }: TestWorkspace): string {
  return `99999999-0000-4000-8000-${tenant_id.slice(-12)}`;
}

const resolution = await resolveConfiguration({ cwd: "/", options: {} });
if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
export const DEFAULTS: Settings = resolution.configuration.settings;

export interface ExportWorldOptions {
  readonly limits?: Partial<LimitSettings>;
  readonly timings?: Partial<TimingSettings>;
  readonly settings?: Partial<Settings>;
  readonly seed?: number;
  readonly now?: number;
}

export interface RowVersion {
  readonly sequence: number;
  readonly workspace: TestWorkspace;
  readonly row: TraceRow;
}

/** What survives the end of the process: the rows that came in and the files that were written. */
interface Disk {
  readonly versions: RowVersion[];
  readonly files: Map<string, readonly string[]>;
}

export type ExportWorld = ReturnType<typeof openBulkExportWorld>;

/**
 * The real reactions of exports and the real admission to the object store over a kernel world that can be
 * ended and begun again at any moment; rows are kept in a list, and a file is a list of row versions.
 */
export function openBulkExportWorld(options: ExportWorldOptions = {}) {
  const disk: Disk = { versions: [], files: new Map() };
  const settings: Settings = {
    ...DEFAULTS,
    ...options.settings,
    limits: { ...DEFAULTS.limits, rows_per_file: 3, ...options.limits },
    timings: { ...DEFAULTS.timings, ...options.timings },
  };
  const traces = tracesOf(disk);
  const held: { readonly data: WriteFile; readonly go: () => void }[] = [];
  const followers: ((entry: JournalEntry) => void)[] = [];
  let isHolding = false;
  let world = open(emptyState(options.seed ?? 1, options.now ?? NOW, { mode: "frozen", rate: 1 }));
  act(seedObjectStorage);
  for (const workspace of [OWN_WORKSPACE, OTHER_WORKSPACE]) act((turn) => addProject(turn, workspace));

  function open(state: WorldState) {
    return createWorld<EmulatorTypes>({
      ports: {
        settings,
        traces,
        secrets: SECRETS,
        schedules: createSchedules(),
        limiter: createRateLimiter(settings.rateLimits),
        isEmbedded: () => true,
      },
      image: imageOf(state, [...COLLECTIONS, ...[buckets, objects, s3Uploads, s3Parts, s3Credentials]]),
      events: eventReactions(createDelays()),
      results: RESULT_REACTIONS,
      effects: {
        ...STUBBED_EFFECTS,
        ...REQUEST_EFFECTS,
        "export.write_file": async ({ data }) => {
          if (isHolding) await new Promise<void>((release) => held.push({ data, go: release }));
          return writeFile(data);
        },
        "export.end_thread": async () => ({}),
      },
      persist: () => undefined,
      flush: () => undefined,
      journalCapacity: 200_000,
    });
  }

  function act<R>(run: (turn: Turn) => R): R {
    return world.turn(TEST, run);
  }

  /** As a request does: a refusal that has written is a defect. */
  function ask<R>(run: (turn: Turn) => R): R {
    return world.turn({ type: "request", name: "test" }, run);
  }

  function writeFile({ order: request, key }: WriteFile): FileWritten {
    if (request.crash) return { failure: "worker_crash", message: "the encoding thread ended" };
    const { rows, ...workspace } = encode(disk, request);
    if (rows.length === 0) return { rows: 0, bytes: 0, ...workspace };
    const trouble = enter(key);
    if (trouble) return trouble;
    disk.files.set(`${BUCKET}/${key}`, rows);
    return { rows: rows.length, bytes: 10 * rows.length, ...workspace };
  }

  function enter(key: string): Extract<FileWritten, { failure: unknown }> | undefined {
    const claim = {
      op: "PutObject",
      bucket: BUCKET,
      key,
      access_key_id: SEEDED_KEY.access_key_id,
      session_token: null,
      isSignedWith: (secret: string) => secret === SEEDED_KEY.secret_access_key,
    } as const;
    const refusal = world.turn({ type: "object_storage", name: "PutObject" }, (turn) =>
      admit(turn, claim, triggerS3Fault),
    );
    if ("error" in refusal)
      return { failure: S3_ERRORS[refusal.error].reportedAs, message: messageOf(refusal) };
    return "reset" in refusal ? { failure: "unavailable", message: "reset" } : undefined;
  }

  function addDestination(workspace: TestWorkspace = OWN_WORKSPACE): string {
    return act((turn) => {
      const id = turn.nextId("destination");
      const config = {
        bucket_name: BUCKET,
        prefix: "",
        region: "us-east-1",
        endpoint_url: null,
        include_bucket_in_prefix: false,
      };
      turn.put(DESTINATIONS, {
        ...workspace,
        id,
        destination_type: "s3",
        display_name: "",
        config,
        embedded: true,
        credentials: SECRETS.seal(JSON.stringify(SEEDED_KEY)),
        credentials_keys: ["access_key_id", "secret_access_key"],
        created_at: turn.now,
        updated_at: turn.now,
      });
      return id;
    });
  }

  /** Goes on until what is under way has ended, or for as long as nothing of it can. */
  const patience = async (settled: Promise<void>) => {
    if (!isHolding) return settled.then(() => false);
    const moment = new Promise<boolean>((done) => setImmediate(() => done(true)));
    return Promise.race([settled.then(() => false), moment]);
  };

  return {
    get world() {
      return world;
    },
    files: disk.files,
    act,
    addDestination,
    removeDestination: (id: string) => act((turn) => turn.remove(DESTINATIONS, id)),
    arm: (input: unknown) => ask((turn) => armFault(turn, input)),
    create: (
      body: Partial<BodyOf<"createBulkExport">>,
      workspace: TestWorkspace = OWN_WORKSPACE,
    ): BulkExport =>
      ask((turn) =>
        createExport(turn, workspace, {
          session_id: projectOf(workspace),
          ...body,
        } as BodyOf<"createBulkExport">),
      ),
    cancel: (id: string) => ask((turn) => cancelExport(turn, turn.get(EXPORTS, id) as BulkExport)),
    /** A new version of a row, which came in just now. */
    ingest(id: string, start_time: string, name: string, workspace: TestWorkspace = OWN_WORKSPACE): void {
      const row = { id, start_time, name, session_id: projectOf(workspace) } as TraceRow;
      disk.versions.push({ sequence: disk.versions.length, workspace, row });
    },
    export: (id: string) => world.reader.get(EXPORTS, id) as BulkExport,
    runs: (id: string): readonly ExportRun[] => [...world.reader.list(EXPORT_RUNS, id)],
    spawned: (id: string): readonly BulkExport[] =>
      [...world.reader.list(SPAWNED, id)].map((one) => world.reader.get(EXPORTS, one.id) as BulkExport),
    rowsIn: (run: ExportRun) =>
      run.files.flatMap(({ key }) => disk.files.get(`${BUCKET}/${key}`) ?? ["lost"]),
    /** What the run has to export: the rows as of its mark. */
    selected: (parent: BulkExport, run: ExportRun) =>
      select(disk, { ...run, asOf: run.asOf as number }, parent.filter).map(nameOf),
    advance: (by: string | number, more: Partial<AdvanceTarget> = {}) =>
      advance(world, {
        to: world.now + (typeof by === "number" ? by : (parseDuration(by) as number)),
        effectsStalled: patience,
        maxEvents: 20_000,
        ...more,
      }),
    /** Hears of every turn, those after a crash included. */
    follow(listener: (entry: JournalEntry) => void): void {
      followers.push(listener);
      world.journal.follow(listener);
    },
    /** From now on files hang on their way. */
    hold(): void {
      isHolding = true;
    },
    /** Lets them go again. */
    release(): void {
      isHolding = false;
      for (const { go: release } of held.splice(0)) release();
    },
    /** `kill -9` and a new start; of what was under way, files that `arrives` says so of are on the disk. */
    crash(arrives: (nth: number) => boolean): void {
      const state = JSON.parse(JSON.stringify(world.state()));
      world.end(new Refusal(503, "killed", "killed"));
      held.splice(0).forEach(({ data }, nth) => {
        const { rows } = encode(disk, data.order);
        if (rows.length > 0 && !data.order.crash && arrives(nth))
          disk.files.set(`${BUCKET}/${data.key}`, rows);
      });
      isHolding = false;
      world = open(state);
      for (const listener of followers) world.journal.follow(listener);
      world.recover();
    },
  };
}

const SECRETS = {
  seal: (plain: string) => [...plain].reverse().join(""),
  open: (sealed: string) => [...sealed].reverse().join(""),
};

function addProject(turn: Turn, workspace: TestWorkspace): void {
  turn.put(PROJECTS, { id: projectOf(workspace), name: "p", ...workspace, created_at: turn.now } as never);
}

interface Selection extends TestWorkspace {
  readonly session_id: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly asOf: number;
}

/** The slow, obvious way: the last version before the mark of every row, those in the window, in order. */
function select({ versions }: Disk, wanted: Selection, filter: string | null): readonly RowVersion[] {
  const last = new Map<string, RowVersion>();
  for (const version of versions) if (version.sequence < wanted.asOf) last.set(version.row.id, version);
  const passes = filterOf(filter);
  return [...last.values()]
    .filter(({ workspace, row }) => {
      const isOtherWorkspace =
        workspace.tenant_id === wanted.tenant_id && row.session_id === wanted.session_id;
      return (
        isOtherWorkspace &&
        row.start_time >= wanted.start_time &&
        row.start_time < wanted.end_time &&
        passes(row)
      );
    })
    .sort((a, b) => (cursorOf(a) < cursorOf(b) ? -1 : 1));
}

function filterOf(filter: string | null): (row: TraceRow) => boolean {
  if (filter === null) return () => true;
  const read = parseFilter(filter);
  if ("problem" in read) throw new Error(filter);
  return compileFilter(read.filter);
}

function cursorOf({ row }: RowVersion): string {
  return `${row.start_time} ${row.id}`;
}

function nameOf({ row, sequence }: RowVersion): string {
  return `${row.id}#${sequence}`;
}

function encode(disk: Disk, request: FileRequest) {
  const { tenantId: tenant_id, sessionId: session_id, start, end, cursor } = request;
  const wanted = { ...request, tenant_id, session_id, start_time: start, end_time: end };
  const left = select(disk, wanted, request.filter).filter(
    (version) => cursor === null || cursorOf(version) > cursor,
  );
  const taken = left.slice(0, request.rowsPerFile);
  const last = taken.at(-1);
  return {
    rows: taken.map(nameOf),
    cursor: last ? cursorOf(last) : cursor,
    done: taken.length === left.length,
  };
}

function tracesOf({ versions }: Disk): TraceStore {
  const store: Partial<TraceStore> = {
    mark: () => versions.length,
    days(scope, session_id, start_time, end_time) {
      const wanted = { region: scope.region, tenant_id: scope.tenantId, session_id, start_time, end_time };
      const found = select({ versions, files: new Map() }, { ...wanted, asOf: versions.length }, null);
      return [...new Set(found.map(({ row }) => row.start_time.slice(0, 10)))];
    },
  };
  return store as TraceStore;
}
