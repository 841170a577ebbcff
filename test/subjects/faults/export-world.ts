import { resolveConfiguration } from "../../../emulator/config/resolve.ts";
import { advance } from "../../../emulator/kernel/advance.ts";
import { emptyState, type WorldState } from "../../../emulator/kernel/commit.ts";
import { parseDuration } from "../../../emulator/kernel/duration.ts";
import { imageOf } from "../../../emulator/kernel/image.ts";
import { formatInstant } from "../../../emulator/kernel/instant.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import { COLLECTIONS, eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../../emulator/runtime/dry-run.ts";
import type { FileWritten, WriteFile } from "../../../emulator/subjects/bulk-exports/events.ts";
import { scheduleStart } from "../../../emulator/subjects/bulk-exports/export.ts";
import {
  type BulkExport,
  EXPORT_RUNS,
  EXPORTS,
  type ExportRun,
} from "../../../emulator/subjects/bulk-exports/records.ts";
import { createSchedules } from "../../../emulator/subjects/crons/schedules.ts";
import { DESTINATIONS } from "../../../emulator/subjects/destinations/records.ts";
import { REQUEST_EFFECTS } from "../../../emulator/subjects/faults/effects.ts";
import { triggerS3Fault } from "../../../emulator/subjects/faults/hit.ts";
import { armFault, type FaultView, faultById, faultView } from "../../../emulator/subjects/faults/rules.ts";
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
import type { LimitSettings, Settings } from "../../../emulator/subjects/settings.ts";
import type { TraceStore } from "../../../emulator/subjects/traces/port.ts";
import type { EmulatorTypes, Turn } from "../../../emulator/subjects/turn.ts";

const NOW = Date.UTC(2026, 0, 10);
const TEST = { type: "control", name: "test" } as const;
const WORKSPACE = { region: "us", tenant_id: "00000000-0000-4000-8000-000000000001" };
const TIMES = { created_at: NOW, updated_at: NOW, finished_at: null };
const BUCKET = "traces";
export const EXPORT = "e0000000-0000-4000-8000-000000000001";
const DESTINATION = "d0000000-0000-4000-8000-000000000001";
/** Rows of each day: three files of three, three and one. */
const ROWS_PER_DAY = 7;
const ROWS_PER_FILE = 3;

const resolution = await resolveConfiguration({ cwd: "/", options: {} });
if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
const defaults: Settings = resolution.configuration.settings;

/** Secrets that can be told from plain text, without a cipher. */
const secrets = {
  seal: (plain: string) => [...plain].reverse().join(""),
  open: (sealed: string) => [...sealed].reverse().join(""),
};

export interface ExportWorldOptions {
  readonly limits?: Partial<LimitSettings>;
  readonly embedded?: boolean;
  readonly state?: WorldState;
}

export type ExportWorld = ReturnType<typeof openExportWorld>;

/**
 * The real reactions of exports and the real admission to the object store over a kernel world; threads and
 * files alone are made up: every file of an export is a list of row numbers.
 */
export function openExportWorld({ limits = {}, embedded = true, state }: ExportWorldOptions = {}) {
  const files = new Map<string, readonly number[]>();
  const puts: string[] = [];
  let threadsEnded = 0;
  const traces = {
    mark: () => 1,
    days: (_scope, _project, start) => [start.slice(0, 10)],
  } as Partial<TraceStore>;
  const settings: Settings = {
    ...defaults,
    limits: { ...defaults.limits, rows_per_file: ROWS_PER_FILE, ...limits },
  };
  const world = createWorld<EmulatorTypes>({
    ports: {
      settings,
      secrets,
      traces: traces as TraceStore,
      schedules: createSchedules(),
      limiter: createRateLimiter(settings.rateLimits),
      isEmbedded: () => embedded,
    },
    image: imageOf(state ?? emptyState(1, NOW, { mode: "frozen", rate: 1 }), [
      ...COLLECTIONS,
      ...[buckets, objects, s3Uploads, s3Parts, s3Credentials],
    ]),
    events: eventReactions(createDelays()),
    results: RESULT_REACTIONS,
    effects: {
      ...STUBBED_EFFECTS,
      ...REQUEST_EFFECTS,
      "export.write_file": async ({ data }) => writeFile(data),
      "export.end_thread": async () => {
        threadsEnded += 1;
        return {};
      },
    },
    persist: () => undefined,
    flush: () => undefined,
    journalCapacity: 10_000,
  });
  const act = <R>(run: (turn: Turn) => R): R => world.turn(TEST, run);

  function writeFile({ order: request, key, destination }: WriteFile): FileWritten {
    if (request.crash) {
      threadsEnded += 1;
      return { failure: "worker_crash", message: "the encoding thread ended" };
    }
    const from = Number(request.cursor ?? 0);
    const rows = Array.from({ length: ROWS_PER_DAY }, (_, row) => row).slice(
      from,
      from + request.rowsPerFile,
    );
    const trouble = destination.embedded ? put(key) : undefined;
    if (trouble) return trouble;
    puts.push(key);
    files.set(key, rows);
    const to = from + rows.length;
    return { rows: rows.length, bytes: 10 * rows.length, cursor: String(to), done: to === ROWS_PER_DAY };
  }

  function put(key: string): Extract<FileWritten, { failure: unknown }> | undefined {
    const claim = {
      op: "PutObject",
      bucket: BUCKET,
      key,
      access_key_id: SEEDED_KEY.access_key_id,
      session_token: null,
      isSignedWith: (secret: string) => secret === SEEDED_KEY.secret_access_key,
    } as const;
    const said = world.turn({ type: "object_storage", name: "PutObject" }, (turn) =>
      admit(turn, claim, triggerS3Fault),
    );
    if ("error" in said) return { failure: S3_ERRORS[said.error].reportedAs, message: messageOf(said) };
    return "reset" in said ? { failure: "unavailable", message: "reset" } : undefined;
  }

  function begin(days = 1): void {
    act((turn) => {
      turn.put(PROJECTS, { id: "p", name: "p", ...WORKSPACE, created_at: NOW } as never);
      turn.put(DESTINATIONS, {
        ...WORKSPACE,
        ...TIMES,
        id: DESTINATION,
        destination_type: "s3",
        display_name: "",
        config: {
          bucket_name: BUCKET,
          prefix: "",
          region: "us-east-1",
          endpoint_url: null,
          include_bucket_in_prefix: false,
        },
        embedded,
        credentials: secrets.seal(JSON.stringify(SEEDED_KEY)),
        credentials_keys: ["access_key_id", "secret_access_key"],
      });
      turn.put(EXPORTS, {
        ...WORKSPACE,
        ...TIMES,
        id: EXPORT,
        bulk_export_destination_id: DESTINATION,
        bucket_name: BUCKET,
        session_id: "p",
        start_time: "2026-01-01T00:00:00.000000Z",
        end_time: `2026-01-0${1 + days}T00:00:00.000000Z`,
        filter: null,
        export_fields: null,
        interval_hours: null,
        format_version: "v1",
        compression: "none",
        status: "CREATED",
        source_bulk_export_id: null,
        runsLeft: 0,
      } as BulkExport);
      scheduleStart(turn, EXPORT, 0);
    });
  }

  if (!state) act(seedObjectStorage);
  return {
    world,
    files,
    puts,
    act,
    begin,
    get threadsEnded() {
      return threadsEnded;
    },
    arm: (input: unknown): FaultView => act((turn) => armFault(turn, input)),
    fault: (id: string): FaultView => faultView(faultById(world.reader, id), world.now),
    export: () => world.reader.get(EXPORTS, EXPORT) as BulkExport,
    runs: (): readonly ExportRun[] => [...world.reader.list(EXPORT_RUNS, EXPORT)],
    run: () => [...world.reader.list(EXPORT_RUNS, EXPORT)][0] as ExportRun,
    advance: (by: string) =>
      advance(world, {
        to: world.now + (parseDuration(by) as number),
        effectsStalled: async (settled) => settled.then(() => false),
        maxEvents: 100_000,
      }),
    /** Instants, as seconds since the start, at which attempts at runs were made. */
    attempts: () =>
      world.journal
        .since(0)
        .filter(({ cause }) => cause.name === "export_run.start")
        .map(({ now }) => (Date.parse(now) - NOW) / 1000),
    struck: () =>
      world.journal
        .since(0)
        .flatMap(({ now, notes = [] }) =>
          notes.filter(({ kind }) => kind === "fault.struck").map(({ detail }) => ({ now, ...detail })),
        ),
    at: (seconds: number) => formatInstant(NOW + seconds * 1000),
  };
}

/** The rows in the files that the run records name, each file's once. */
export function rowsIn({ files, runs }: ExportWorld): readonly number[] {
  return runs().flatMap((run) => run.files.flatMap(({ key }) => files.get(key) ?? []));
}
