/** the fault language. The match keys of each target, and the effects of its faults. */

/** The points of an export run at which a fault may be triggered. */
export const FAULT_POINTS = {
  "export.running":
    "The export has moved to RUNNING, and its first run starts. Only a rule with at: export.running triggers here.",
  "run.started": "An attempt of the run has started.",
  "rows.read": "The rows of the next file are about to be read and encoded.",
  "file.written": "A file is stored, and the checkpoint is not saved yet.",
  "checkpoint.saved": "The checkpoint after the file is saved.",
} as const satisfies Record<string, string>;

export type FaultPoint = keyof typeof FAULT_POINTS;

export const FAULT_POINT_NAMES = Object.keys(FAULT_POINTS) as readonly FaultPoint[];

/** What a key of `match` takes: one such value, or a list of which any may fit. */
export type MatchKind =
  /** Text in which `*` stands for any run of characters. */
  | "text"
  /** The same, in lower case. */
  | "id"
  /** A point, or `*` for all of them. */
  | "point"
  /** An operation of S3, or text with `*` that fits at least one. */
  | "s3_operation"
  /** `METHOD /path/{template}` or the id of an operation of these tables, or text with `*` that fits one. */
  | "operation"
  | "region"
  /** A number from 0. */
  | "number"
  /** A number from 1; no list. */
  | "count";

/** What a member of `then` takes. */
export type ThenKind =
  | "yes"
  | "duration"
  | "processing_error"
  | "s3_error"
  | "name_or_yes"
  | "status"
  | "copies"
  | "json"
  | "headers";

/** A member of `then`: its value, and the members with which it may be combined. */
export interface FaultMember {
  readonly takes: ThenKind;
  readonly meaning: string;
  /** Members with which it may be combined; every other pair is refused. */
  readonly combinesWith?: readonly string[];
  /** True when it cannot stand alone. */
  readonly follows?: true;
  /** `request`: it cannot be triggered at a point, which has no reply. */
  readonly needs?: "request";
}

/** A target: its points, match keys, and the effects of faults. */
export interface FaultTargetRow {
  readonly summary: string;
  readonly match: Readonly<Record<string, MatchKind>>;
  /** Points that only match rules with `at`, not rules that match runs or requests in general. */
  readonly named?: readonly FaultPoint[];
  /** Keys of `match` that exclude each other. */
  readonly apart?: readonly (readonly [string, string])[];
  readonly then: Readonly<Record<string, FaultMember>>;
}

/** What an attempt at a run can be made to fail for (§7.3-6). */
export const PROCESSING_ERRORS = ["serialization_error", "resource_exhausted"] as const;

export const FAULT_REGIONS = ["us", "eu"] as const;

/** The targets of the language; a rule is of one of them. */
export const FAULT_TARGETS = {
  worker: {
    summary: "Export runs: each passes the points in their order.",
    match: { export_id: "id", run: "id", at: "point", attempt: "number", nth: "count" },
    named: ["export.running"],
    then: {
      crash: { takes: "yes", meaning: "The worker crashes (§7.3-1)." },
      stall: { takes: "duration", meaning: "The run continues after this delay." },
      error: { takes: "processing_error", meaning: "The attempt fails for this reason (§7.3-6)." },
      delete_destination: { takes: "yes", meaning: "The destination of the export is deleted (§7.3-5)." },
    },
  },
  s3: {
    summary: "Requests to the embedded object store, and the points of exports that write to it.",
    match: {
      op: "s3_operation",
      bucket: "text",
      key: "text",
      access_key_id: "text",
      at: "point",
      export_id: "id",
      nth: "count",
    },
    named: FAULT_POINT_NAMES,
    apart: [
      ["op", "at"],
      ["key", "at"],
    ],
    then: {
      s3_error: { takes: "s3_error", meaning: "The request gets this error.", needs: "request" },
      delete_bucket: {
        takes: "name_or_yes",
        meaning: "The bucket of this name is deleted with its objects; true means the bucket in use.",
      },
      delete_credential: {
        takes: "name_or_yes",
        meaning: "The access key of this id is deleted; true means the key in use.",
      },
      delay: { takes: "duration", meaning: "The request continues after this delay.", needs: "request" },
      reset: { takes: "yes", meaning: "The connection is closed.", needs: "request" },
    },
  },
  http: {
    summary: "Well-formed requests to a known operation, just before it is executed.",
    match: { op: "operation", path: "text", region: "region", nth: "count" },
    then: {
      status: { takes: "status", meaning: "The request gets this status and is not executed." },
      body: {
        takes: "json",
        meaning: "The body of that reply: text is sent unchanged, everything else as JSON.",
        combinesWith: ["status", "headers"],
        follows: true,
      },
      headers: {
        takes: "headers",
        meaning: "Headers of that reply.",
        combinesWith: ["status"],
        follows: true,
      },
      delay: { takes: "duration", meaning: "The request is executed after this delay." },
    },
  },
  webhook: {
    summary: "Webhook deliveries.",
    match: { url: "text", run_id: "id", nth: "count" },
    then: {
      drop: { takes: "yes", meaning: "It is never sent, and no error is reported." },
      duplicate: {
        takes: "copies",
        meaning: "It is sent this many additional times.",
        combinesWith: ["delay"],
      },
      delay: { takes: "duration", meaning: "It is sent after this delay." },
      refuse: { takes: "yes", meaning: "The connection is refused.", combinesWith: ["delay"] },
      status: {
        takes: "status",
        meaning: "The delivery gets this status; the receiver is not called.",
        combinesWith: ["delay"],
      },
    },
  },
} as const satisfies Record<string, FaultTargetRow>;

export type FaultTarget = keyof typeof FAULT_TARGETS;

/** A rule of the language with a name; the caller's `match`, `times` and `ttl` are added to it. */
export interface FaultPreset {
  readonly summary: string;
  readonly target: FaultTarget;
  readonly match: Readonly<Record<string, string | readonly string[]>>;
  readonly then: Readonly<Record<string, unknown>>;
  /** It stalls for a second longer than this limit of the world. */
  readonly outlasts?: "run_timeout_ms" | "workflow_timeout_ms";
}

/** Faults by name: the failures of §7 and what tests most often want. */
export const FAULT_PRESETS = {
  worker_crash: {
    summary: "The worker crashes after a file is stored and before the checkpoint is saved.",
    target: "worker",
    match: { at: "file.written" },
    then: { crash: true },
  },
  run_timeout: {
    summary: "An attempt of an export run exceeds its time limit.",
    target: "worker",
    match: { at: "run.started" },
    then: {},
    outlasts: "run_timeout_ms",
  },
  workflow_timeout: {
    summary: "A run starts so late that its export exceeds its time limit.",
    target: "worker",
    match: { at: "export.running" },
    then: {},
    outlasts: "workflow_timeout_ms",
  },
  bucket_deleted: {
    summary: "The bucket is deleted when the export starts.",
    target: "s3",
    match: { at: "export.running" },
    then: { delete_bucket: true },
  },
  destination_deleted: {
    summary: "The destination is deleted when the export starts.",
    target: "worker",
    match: { at: "export.running" },
    then: { delete_destination: true },
  },
  credentials_revoked: {
    summary: "The access key of the export is deleted when it starts.",
    target: "s3",
    match: { at: "export.running" },
    then: { delete_credential: true },
  },
  permission_denied: {
    summary: "The object store denies a write.",
    target: "s3",
    // Large files go up in parts, and begin with the second of these.
    match: { op: ["PutObject", "CreateMultipartUpload"] },
    then: { s3_error: "AccessDenied" },
  },
  serialization_error: {
    summary: "The rows of a file cannot be encoded.",
    target: "worker",
    match: { at: "rows.read" },
    then: { error: "serialization_error" },
  },
} as const satisfies Record<string, FaultPreset>;

interface Taken {
  readonly yes: true;
  readonly duration: string;
  readonly processing_error: (typeof PROCESSING_ERRORS)[number];
  readonly s3_error: string;
  readonly name_or_yes: string | true;
  readonly status: number;
  readonly copies: number;
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

type MembersOf<Target extends FaultTarget> = (typeof FAULT_TARGETS)[Target]["then"];

type TakenBy<Member> = Member extends { readonly takes: infer Kind extends ThenKind } ? Taken[Kind] : never;

/** The validated `then` of a rule on this target. */
export type ThenOf<Target extends FaultTarget> = {
  readonly [Name in keyof MembersOf<Target>]?: TakenBy<MembersOf<Target>[Name]>;
};

/** Members that make a rule on their own. */
type LeadOf<Target extends FaultTarget> = {
  readonly [Name in keyof MembersOf<Target>]: MembersOf<Target>[Name] extends { readonly follows: true }
    ? never
    : Name;
}[keyof MembersOf<Target>];

/** Members that may be combined with one: those that it lists, and those that follow it. */
type CombinableOf<Target extends FaultTarget, Lead extends keyof MembersOf<Target>> = {
  readonly [Name in keyof MembersOf<Target>]: MembersOf<Target>[Lead] extends {
    readonly combinesWith: readonly (infer Beside)[];
  }
    ? Name extends Beside
      ? Name
      : never
    : MembersOf<Target>[Name] extends {
          readonly follows: true;
          readonly combinesWith: readonly (infer Beside)[];
        }
      ? Lead extends Beside
        ? Name
        : never
      : never;
}[keyof MembersOf<Target>];

/** What one rule of this target does: a union of the members that make a rule, each with the members that may be combined with it. */
export type HappeningOf<Target extends FaultTarget> = {
  readonly [Lead in LeadOf<Target>]: { readonly [Name in Lead]: TakenBy<MembersOf<Target>[Name]> } & {
    readonly [Name in CombinableOf<Target, Lead>]?: TakenBy<MembersOf<Target>[Name]>;
  };
}[LeadOf<Target>];
