import type { ExchangeResult } from "../../contracts/engine/oracle/oracle.ts";
import type { RecordingLine } from "../../contracts/engine/recorded.ts";
import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { Field, ObjectOf, OptionalField } from "../../contracts/spec/fields.ts";
import type { Advance, AdvanceProgress, AdvanceTarget } from "../kernel/advance.ts";
import type { AsOf } from "../kernel/as-of.ts";
import type { ClockState, Commit, InitialSettings } from "../kernel/commit.ts";
import type { ReplacedRow } from "../kernel/table.ts";
import type { IsAbandoned } from "./abandoned.ts";
import type { HttpRequest } from "./message.ts";
import type { PageOf, ParquetPage } from "./object-storage/parquet-page.ts";
import type { StoredBody } from "./object-storage/records.ts";
import type { Recording } from "./recording.ts";
import type { MissingSecrets, SuppliedSecrets } from "./snapshot-secrets.ts";
import type { World } from "./turn.ts";
import type { ComparisonProgress, GenerationProgress, VerificationProgress } from "./work-progress.ts";
import type { WorldDifference } from "./world-difference.ts";

/** What the test-only operations work on: one world and what drives it. */
export interface ControlContext {
  readonly world: World;
  readonly clock: ControlClock;
  readonly oracle: Oracle;
  /** Samples of trace rows that are being generated. */
  readonly generations: Set<GenerationProgress>;
  readonly recording: Recording;
  /** Advances a copy of the world whose effects only pretend, and throws it away. */
  dryRun(target: AdvanceTarget): Promise<DryRunResult>;
  status(): Readonly<Record<string, unknown>>;
  /** The open choices of the specification that this world has read; undefined where they are not noted. */
  readonly choices: ReadonlySet<AssumptionId> | undefined;
  /** The effective configuration; secrets masked. */
  configuration(): Readonly<Record<string, unknown>>;
  /** The world equals a fresh one; seeded again unless it shall be empty. */
  reset(empty: boolean): Promise<void>;
  /** Returns to an earlier state; refuses a point that is not in the history (422) or in that of the generation (409). */
  rewind(at: AsOf, generation: number | undefined): void;
  readonly worlds: ControlWorlds;
  /** The turns that the history of this world has, up to where it stands. */
  readonly turns: () => Iterable<HistoryTurn>;
  readonly snapshots: ControlSnapshots;
  /** Gives this world, or a snapshot, secrets that it lacks since it came from a file; answers what is still missing. */
  supplySecrets(suppliedSecrets: SuppliedSecrets, snapshot: string | undefined): MissingSecrets;
  /** The body of an object of this world; refused (409) when the stored file is missing or damaged. */
  readBody(body: StoredBody): Promise<AsyncIterable<Uint8Array>>;
  /** Reads an object as a Parquet file. Throws a `Refusal` (409, 422) when it is none, too large, or damaged. */
  readParquet(object: StoredBody, page: PageOf): Promise<ParquetPage>;
  /** What the contract says of a recorded exchange; undefined when it is of no operation of the API. */
  checkExchange(exchange: RecordingLine): Promise<ExchangeResult | undefined>;
  /** Lets other requests run between two steps of long work. */
  yieldToEventLoop(): Promise<void>;
  /** Waits for so long, by the clock of this machine. */
  pause(ms: number): Promise<void>;
}

/** A turn that changed something. */
export interface HistoryTurn {
  /** Without changes if the turn only wrote trace rows. */
  readonly commit: Commit;
  /** The number of the trace row after its last one. */
  readonly rows: number;
  /** The rows that lead back to the state before the turn. */
  readonly replaced: readonly ReplacedRow[];
}

/** The worlds of this process. */
export interface ControlWorlds {
  list(): readonly WorldView[];
  find(id: string): WorldView;
  /** Empty, or going on from a world or a snapshot. */
  create(order: CreateWorldRequest): Promise<WorldView>;
  remove(id: string): Promise<WorldView>;
  /** Compares two worlds, each as of a point in its past or as it is. */
  diff(a: WorldPoint, b: WorldPoint, isAbandoned: IsAbandoned): Promise<WorldDifference>;
  comparing(): readonly ComparisonProgress[];
}

/** A world, and a point in its past. */
export interface WorldPoint {
  readonly id: string;
  readonly at: AsOf | undefined;
}

/** A world to be made. */
export interface CreateWorldRequest {
  /** The first free name when it is left out. */
  readonly id: string | undefined;
  readonly from: string | undefined;
  /** The point in the history of that world; by default its current state. */
  readonly at: AsOf | undefined;
  /** How an empty or seeded world begins, where that differs from the world main. */
  readonly initialSettings: InitialSettings | undefined;
}

/** A world as the control API shows it. */
export interface WorldView {
  readonly id: string;
  /** The world or snapshot that it began with; null for one that began empty. */
  readonly from: string | null;
  readonly url: string;
  readonly eu_url: string;
  readonly s3_url: string;
  /** Null for a stored world that was not used since the start: its time stands still until it is. */
  readonly now: string | null;
  readonly clock: ClockState | null;
}

/** The snapshots of this process, as they are worked on from one of its worlds. */
export interface ControlSnapshots {
  list(): readonly SnapshotView[];
  /** Refuses a name that is taken, unless it may be replaced. */
  save(name: string, mayReplace: boolean): Promise<SnapshotView>;
  load(name: string): SnapshotView;
  remove(name: string): void;
  export(name: string): Promise<SnapshotFile>;
  /** Makes a snapshot of a file, once all of it was read and found whole. */
  import(chunks: AsyncIterable<Uint8Array>, order: SnapshotImportRequest): Promise<SnapshotView>;
}

/** A snapshot on its way out, and how many secrets it goes without. */
export interface SnapshotFile {
  readonly leftOut: Readonly<Record<"destinations" | "keys", number>>;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How a snapshot file is to be imported. */
export interface SnapshotImportRequest {
  readonly name: string | undefined;
  /** Whether a snapshot of that name may exist. */
  readonly mayReplace: boolean;
  readonly isAbandoned: IsAbandoned;
}

/** A snapshot as the control API shows it. */
export interface SnapshotView {
  readonly name: string;
  /** The world that was saved. */
  readonly of: string;
  /** Virtual time, ISO 8601. */
  readonly now: string;
  /** The number of the last turn that it contains. */
  readonly turn: number;
  /** Only of one that was imported: what it has no secrets for. */
  readonly missing?: MissingSecrets;
}

/** The clock of a world, as control operations use it. */
export interface ControlClock {
  /** Moves a flowing world towards the present, for one slice at most, unless it is catching up. */
  sync(): void;
  /** Virtual ms that a flowing world is behind its present while it catches up; otherwise 0. */
  behindMs(): number;
  freeze(): void;
  /** In virtual seconds per second. */
  flow(rate: number): void;
  /** `waitsFor` describes the progress of the awaited work for users. */
  advance(target: AdvanceTarget, waitsFor?: () => string): Promise<Advance>;
  currentAdvance(): AdvanceProgress | undefined;
  /** Stops the advance in progress after the events of its current instant; false when there is none. */
  stopAdvance(): boolean;
}

/** What an advance would do. */
export interface DryRunResult extends Advance {
  /** What it took for granted, since nothing was really done. */
  readonly assumed: readonly string[];
}

/** Reads exported files back and compares them with the store. */
export interface Oracle {
  verify(exportId: string, isAbandoned: IsAbandoned): Promise<Verification>;
  /** Exports that are being read back, or wait for their turn. */
  verifying(): readonly VerificationProgress[];
}

/** The result of reading an export back; without problems the export is correct. */
export interface Verification {
  readonly ok: boolean;
  readonly rows: number;
  readonly files: number;
  readonly problems: readonly Problem[];
}

/** One thing that is wrong with an export, and the file or row that it was found in. */
export interface Problem {
  readonly kind: string;
  readonly key: string;
  readonly detail: string;
}

type Fields = Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>;

/** A request to a test-only operation, checked against the operation's fields. */
export interface ControlRequest<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly region: string;
  readonly raw: HttpRequest;
}

/** Properties of a test-only operation in addition to its method, path and input. */
interface ControlFacts {
  /** True for a path right below `/_emulator`, which people write into what they test. */
  readonly unversioned?: boolean;
  readonly summary: string;
  /** True where much is stored: refused while the disk is full, when time must still move and a reset make room. */
  readonly stores?: true;
  /** False where a replay does not send it again, as it does with all but GET; `dry_run=1` changes nothing either. */
  readonly recorded?: false;
  /** True where the state of the world is replaced: this also works for a world whose files are damaged. */
  readonly replaces?: true;
  /** False for an operation that is not about one world, which has no history to read. */
  readonly hasHistory?: false;
}

/** One test-only operation: where it is, what it takes, and what it does. */
export interface ControlOperation extends ControlFacts {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_emulator/v1`. */
  readonly path: string;
  readonly query?: Fields;
  readonly body?: Field<unknown>;
  /** What the row's fields accept is what `control` types it by; the gateway has checked it against them. */
  run(
    context: ControlContext,
    request: ControlRequest<Readonly<Record<string, string>>, Readonly<Record<string, unknown>>, unknown>,
  ): unknown;
}

/** A stream of lines instead of one JSON value; `isEndless` where they end with the world only. */
export interface Lines {
  readonly lines: AsyncIterable<string>;
  readonly isEndless?: boolean;
}

/** A file, chunk by chunk, instead of one JSON value. */
export interface FileReply {
  readonly attachment: AsyncIterable<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A row that keeps the types of its input and output. */
export interface ControlRow<
  Method extends ControlOperation["method"],
  Path extends string,
  Q extends Fields,
  B,
  R,
> extends ControlOperation {
  readonly method: Method;
  readonly path: Path;
  readonly query?: Q;
  readonly body?: Field<B>;
  run(...args: Parameters<ControlOperation["run"]>): R;
}

/** Types a row's handler by the row's own fields. */
export function control<
  Method extends ControlOperation["method"],
  Path extends string,
  R,
  Q extends Fields = Record<never, never>,
  B = undefined,
>(
  row: ControlFacts & {
    readonly method: Method;
    readonly path: Path;
    readonly query?: Q;
    readonly body?: Field<B>;
    run(
      context: ControlContext,
      request: ControlRequest<Readonly<Record<string, string>>, ObjectOf<Q>, B>,
    ): R;
  },
): ControlRow<Method, Path, Q, B, R> {
  return row;
}

/** The cause of a turn of a test-only operation; `ref` is the id of a record, object or inbox. */
export function cause(name: string, ref?: string) {
  return { type: "control", name, ...(ref !== undefined && { ref }) } as const;
}
