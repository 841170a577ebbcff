import supertest from "supertest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/runtime/index.ts";

/** The keys that the README gives newcomers, spelled out: a test must notice when they change. */
export const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
} as const;

export const BEGIN = "2026-03-01T00:00:00Z";

export interface Reply<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
  /** In lower case; undefined when it was not sent. */
  header(name: string): string | undefined;
}

/** An emulator with its clock frozen at `BEGIN`, and the calls that its tests make. */
export interface Rig {
  readonly emulator: Emulator;
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<T>>;
  close(): Promise<void>;
}

type Verb = "get" | "post" | "put" | "patch" | "delete";

export async function startRig(options: EmulatorOptions = {}): Promise<Rig> {
  const emulator = await startEmulator({ clock: "frozen", now: BEGIN, ...options });
  // Once for all calls, since it makes a function for each method there is.
  const verbs = supertest(emulator.url);
  return {
    emulator,
    async call(method, path, body, headers = {}) {
      const request = verbs[method.toLowerCase() as Verb](path)
        .set({ ...HEADERS, ...headers })
        .ok(() => true);
      if (body !== undefined) request.send(typeof body === "string" ? body : JSON.stringify(body));
      const { status, text, header } = await request;
      return { status, header: (name) => header[name], body: text ? JSON.parse(text) : undefined };
    },
    close: () => emulator.close(),
  };
}

/** The calls of a rig, in another world. */
export function rigOfWorld(world: Emulator): Rig {
  return {
    emulator: world,
    async call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const reply = await world.request(path, {
        method,
        headers: { ...HEADERS, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return {
        status: reply.status,
        body: (text ? JSON.parse(text) : undefined) as T,
        header: (name: string) => reply.headers.get(name) ?? undefined,
      };
    },
    close: () => world.close(),
  };
}

export const DESTINATION = {
  destination_type: "s3",
  display_name: "Test bucket",
  config: { bucket_name: "traces", prefix: "exports", region: "us-east-1" },
  credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
} as const;

export interface PreparedExport {
  readonly projectId: string;
  readonly destinationId: string;
}

/** A project with sample rows and a destination in the embedded store. */
export async function prepareExport(
  rig: Rig,
  generate: Record<string, unknown> = {},
): Promise<PreparedExport> {
  const traces = {
    count: 60,
    project: "shop",
    from: "2026-02-25T00:00:00Z",
    to: "2026-02-28T00:00:00Z",
    ...generate,
  };
  const { session_id } = await rig.emulator.control<{ session_id: string }>(
    "POST",
    "/traces/generate",
    traces,
  );
  const { body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", DESTINATION);
  return { projectId: session_id, destinationId: body.id };
}

export async function createExport(
  rig: Rig,
  { projectId, destinationId }: PreparedExport,
  more: Record<string, unknown> = {},
) {
  return rig.call<{ id: string; status: string }>("POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: destinationId,
    session_id: projectId,
    start_time: "2026-02-25T00:00:00Z",
    ...(more.interval_hours === undefined && { end_time: "2026-02-28T00:00:00Z" }),
    ...more,
  });
}

export async function runToCompletion(rig: Rig, id: string) {
  return rig.emulator.clock.advance({ until: { export: id, status: "COMPLETED" } });
}

/** An export as the API shows it, as far as tests look at it. */
export interface ExportReply {
  readonly id: string;
  readonly status: string;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly interval_hours: number | null;
  readonly source_bulk_export_id: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

/** A run of an export as the API shows it. */
export interface ExportRunReply {
  readonly id: string;
  readonly bulk_export_id: string;
  readonly status: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly rows_exported: number;
  readonly errors: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly metadata: {
    readonly latest_cursor: string | null;
    readonly rows_exported: number;
    readonly files: readonly string[];
  };
}

export type ExportRig = Awaited<ReturnType<typeof startExportRig>>;

const EXPORTS = "/api/v1/bulk-exports";

/** A rig with a project of sample rows, a destination in the embedded store, and what tests do with exports. */
export async function startExportRig(options: EmulatorOptions = {}, generate: Record<string, unknown> = {}) {
  const rig = await startRig(options);
  let prepared = await prepareExport(rig, generate);
  const { emulator } = rig;
  const exportOf = async (id: string) => (await rig.call<ExportReply>("GET", `${EXPORTS}/${id}`)).body;
  return {
    ...rig,
    /** The project and the destination of `createExport`. */
    get prepared(): PreparedExport {
      return prepared;
    },
    set prepared(next: PreparedExport) {
      prepared = next;
    },
    createExport: (more: Record<string, unknown> = {}) => createExport(rig, prepared, more),
    /** The id of a new export. */
    createExportId: async (more: Record<string, unknown> = {}) =>
      (await createExport(rig, prepared, more)).body.id,
    advance: emulator.clock.advance,
    complete: (id: string) => runToCompletion(rig, id),
    verify: emulator.verifyExport,
    exportOf,
    statusOf: async (id: string) => (await exportOf(id)).status,
    runsOf: async (id: string) => (await rig.call<ExportRunReply[]>("GET", `${EXPORTS}/${id}/runs`)).body,
    cancel: (id: string, body: unknown = { status: "Cancelled" }) =>
      rig.call<ExportReply>("PATCH", `${EXPORTS}/${id}`, body),
    arm: (fault: object) => emulator.control<{ id: string; hits: number }>("POST", "/faults", fault),
  };
}
