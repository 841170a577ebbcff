import type { JournalEntry } from "../kernel/journal.ts";
import type { RowExplanation } from "../subjects/bulk-exports/explain.ts";
import type { Causes } from "../subjects/causes.ts";
import type { SnapshotView, Verification, WorldView } from "../subjects/control-operation.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import type { FaultView } from "../subjects/faults/rules.ts";
import type { BucketView } from "../subjects/object-storage/buckets.ts";
import type { ObjectList } from "../subjects/object-storage/contents.ts";
import type { explainView, limiterView, rowView } from "../subjects/rate-limits/view.ts";
import type { RecordedRequest, RecordingHeader } from "../subjects/recording.ts";
import type { explainWebhook } from "../subjects/webhooks/explain.ts";
import type { deliveryView } from "../subjects/webhooks/view.ts";
import type { WorldDifference } from "../subjects/world-difference.ts";
import type { FaultOrder } from "./faults.ts";
import { type ParseJson, requestJson, type Send } from "./send.ts";
import type {
  AdvanceResult,
  AdvanceTarget,
  ChoiceView,
  ClockChange,
  ClockView,
  GeneratedTraces,
  Status,
  TraceOrder,
  WorkProgress,
  WorldOrder,
} from "./views.ts";

/** The base path of the control API. */
export const CONTROL_PATH = `${CONTROL_PREFIX}v1`;

export type { RecordedRequest, RecordingHeader };
export type LimitExplanation = ReturnType<typeof explainView>;
export type DeliveryView = ReturnType<typeof deliveryView>;
export type WebhookVerdict = ReturnType<typeof explainWebhook>;
type LimiterView = ReturnType<typeof limiterView>;
type LimitRow = ReturnType<typeof rowView>;
type Members = Readonly<Record<string, unknown>>;

/** The control API of one world: every call throws `ErrorReply` when it is refused. */
export type ControlClient = ReturnType<typeof createControlClient>;

/** The control API over a `send` function: `fetch` to an address, or an emulator in this process. `parse` reads the replies. */
export function createControlClient(send: Send, parse?: ParseJson) {
  /** Any operation, by its path below `/_emulator/v1`. */
  function call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return requestJson<T>(send, { method, path: `${CONTROL_PATH}${path}`, body, parse });
  }

  return {
    call,
    status: () => call<Status>("GET", "/status"),
    /** The progress of long work. */
    progress: () => call<WorkProgress>("GET", "/progress"),
    /** The effective configuration; secrets masked. */
    config: <T = Members>() => call<T>("GET", "/config"),
    /** The assumptions that the requests of the world have depended on, each with its value. */
    choices: () => call<readonly ChoiceView[]>("GET", "/choices"),
    /** Resets the world to its initial state; `empty` omits the seed data of the configuration. */
    reset: (options: { readonly empty?: boolean } = {}) => call<Status>("POST", "/reset", options),
    /** Every turn with its cause; only turns after number `since` if given. */
    journal: (since?: number) =>
      call<readonly JournalEntry[]>("GET", since === undefined ? "/journal" : `/journal?since=${since}`),
    /** The turns that caused the record, object or trace row with this id, or its `field`; `effects` adds the turns that it caused. */
    why: (
      id: string,
      { field, effects = false }: { readonly field?: string; readonly effects?: boolean } = {},
    ) =>
      call<Causes>(
        "GET",
        `/why/${segment(id)}?${new URLSearchParams({ effects: effects ? "1" : "0", ...(field !== undefined && { field }) })}`,
      ),
    /** The requests since the start, after a line about the emulator. */
    recording: () => call<readonly [RecordingHeader, ...RecordedRequest[]]>("GET", "/recording"),
    generateTraces: (order: TraceOrder) => call<GeneratedTraces>("POST", "/traces/generate", order),
    ...timeCalls(call),
    ...storeCalls(call),
    ...subjectCalls(call),
  };
}

type Call = <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;

function timeCalls(call: Call) {
  return {
    clock: {
      read: () => call<ClockView>("GET", "/clock"),
      freeze: () => call<ClockChange>("POST", "/clock/freeze"),
      /** `rate` is in virtual seconds per second. */
      flow: (rate = 1) => call<ClockChange & { readonly rate: number }>("POST", "/clock/flow", { rate }),
      /** By a duration (`6h`, `PT6H`), or with a body of `POST /clock/advance`. */
      advance: (target: string | AdvanceTarget) =>
        call<AdvanceResult>("POST", "/clock/advance", typeof target === "object" ? target : { by: target }),
      /** Stops the advance in progress, which is then refused with 409 and its progress. */
      stop: () => call<{ readonly stopped: boolean; readonly now: string }>("DELETE", "/clock/advance"),
      /** A dry run: returns the result of the advance without changing anything. */
      foresee: (target: AdvanceTarget) => call<AdvanceResult>("POST", "/clock/advance?dry_run=1", target),
    },
    faults: {
      arm: (order: FaultOrder) => call<FaultView>("POST", "/faults", order),
      list: () => call<readonly FaultView[]>("GET", "/faults"),
      /** Clears one fault, or all faults. */
      clear: (id?: string) =>
        call<{ readonly deleted: number | string }>(
          "DELETE",
          id === undefined ? "/faults" : `/faults/${segment(id)}`,
        ),
    },
    rateLimits: {
      list: () => call<LimiterView>("GET", "/rate-limits"),
      /** The `method`, `path`, `x-api-key` and other facts of a request. */
      explain: (request: Readonly<Record<string, string>>) =>
        call<LimitExplanation>("GET", `/rate-limits/explain?${new URLSearchParams(request)}`),
      change: (row: string, change: Members) => call<LimitRow>("PUT", `/rate-limits/${segment(row)}`, change),
      /** The counters, trip and changes of one row (in one region), or of all. */
      reset: (selection: { readonly row?: string; readonly region?: string } = {}) =>
        call<{ readonly reset: true }>("POST", "/rate-limits/reset", selection),
    },
  };
}

function storeCalls(call: Call) {
  return {
    worlds: {
      list: () => call<readonly WorldView[]>("GET", "/worlds"),
      create: (order: WorldOrder = {}) => call<WorldView>("POST", "/worlds", order),
      remove: (id: string) => call<WorldView>("DELETE", `/worlds/${segment(id)}`),
      /** The differences between two worlds; `at` and `with_at` are points in their history. */
      diff: (id: string, query: { readonly with: string; readonly at?: string; readonly with_at?: string }) =>
        call<WorldDifference>("GET", `/worlds/${segment(id)}/diff?${new URLSearchParams(query)}`),
    },
    snapshots: {
      /** Replaces a snapshot of the same name, unless `replace` is false. */
      save: (name: string, options: { readonly replace?: boolean } = {}) =>
        call<SnapshotView>("POST", "/snapshots", { name, ...options }),
      load: (name: string) => call<SnapshotView>("POST", `/snapshots/${segment(name)}/load`),
      list: () => call<readonly SnapshotView[]>("GET", "/snapshots"),
      remove: (name: string) => call<{ readonly removed: string }>("DELETE", `/snapshots/${segment(name)}`),
    },
    objectStorage: {
      buckets: () => call<readonly BucketView[]>("GET", "/s3/buckets"),
      /** A page of objects, those after a key if one is given. */
      objects: (bucket: string, prefix = "", after = "") =>
        call<ObjectList>(
          "GET",
          `/s3/buckets/${segment(bucket)}/objects?${new URLSearchParams({ prefix, after })}`,
        ),
      createBucket: (name: string) => call<Members>("POST", "/s3/buckets", { name }),
      createCredential: (credential: object) => call<Members>("POST", "/s3/credentials", credential),
    },
  };
}

function subjectCalls(call: Call) {
  return {
    exports: {
      /** Reads every file back and compares it with the stored rows. */
      verify: (id: string) => call<Verification>("GET", `/exports/${segment(id)}/verify`),
      /** Why a trace run is in an export or not. */
      explain: (id: string, run: string) =>
        call<RowExplanation>("GET", `/exports/${segment(id)}/explain?run=${segment(run)}`),
    },
    webhooks: {
      /** The newest deliveries, oldest first. */
      deliveries: (limit = MAX_DELIVERIES) =>
        call<readonly DeliveryView[]>("GET", `/webhooks/deliveries?limit=${limit}`),
      delivery: (id: string) => call<DeliveryView>("GET", `/webhooks/deliveries/${segment(id)}`),
      redeliver: (id: string) =>
        call<DeliveryView>("POST", `/webhooks/deliveries/${segment(id)}/redeliver`, {}),
      /** Checks a URL by the rules of §6.1. */
      check: (url: string) => call<WebhookVerdict>("POST", "/webhooks/check", { url }),
    },
  };
}

/** Maximum page size of the emulator. */
const MAX_DELIVERIES = 10_000;

function segment(text: string): string {
  return encodeURIComponent(text);
}
