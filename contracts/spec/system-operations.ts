import {
  assumed,
  boolean,
  type Field,
  freeForm,
  integer,
  mapOf,
  nullable,
  object,
  optional,
  text,
  uuid,
} from "./fields.ts";
import type { Operation } from "./operation.ts";

/** Only §8.5 can refuse a request there, where a row of it counts the path. */
const system = (path: string, refusals: readonly 429[] = []) =>
  ({
    section: "1",
    requirements: ["1-3"],
    server: "system",
    method: "GET",
    path,
    refusals,
    workspace: "none",
    recorded: false,
    shown: false,
  }) as const;

const health = <T>(field: Field<T>) => assumed(field, "platform.health_endpoints");

const facts = object({
  version: text({ description: "Emulated service version." }),
  application_version: text({ description: "Emulated application version." }),
  agent_server_version: text({ description: "Emulated agent-server version." }),
  license_expiration_time: nullable(text({ description: "Always null: the emulator needs no licence." })),
  batch_ingest_config: object({
    use_multipart_endpoint: boolean({ description: "Whether trace rows are accepted as multipart bodies." }),
    scale_up_qsize_trigger: integer(),
    scale_up_nthreads_limit: integer(),
    scale_down_nempty_trigger: integer(),
    size_limit: integer({ description: "Maximum number of trace rows in one batch of a client." }),
    size_limit_bytes: integer({ description: "Maximum number of bytes in one batch of a client." }),
  }),
  instance_flags: mapOf(boolean(), { description: "The accepted encodings of request bodies." }),
  flags: optional(mapOf(boolean(), { description: "Enabled parts of the agent server." })),
});

/** What the platform and the agent server tell about themselves; both are asked at /info. */
export const information = health(facts);

/** §1 lists system endpoints for health and server information without showing them. */
export const SYSTEM_OPERATIONS = {
  ok: {
    ...system("/ok"),
    summary: "Liveness: the server answers.",
    reply: { status: 200, body: health(object({ ok: boolean() })) },
  },
  livez: {
    ...system("/livez"),
    summary: "Liveness: the process is running.",
    reply: { status: 200, body: health(object({ live: boolean() })) },
  },
  readyz: {
    ...system("/readyz"),
    summary: "Readiness: seeding is done.",
    reply: { status: 200, body: health(object({ ready: boolean() })) },
  },
  info: {
    ...system("/info", [429]),
    summary: "Return versions and the limits of ingest.",
    alsoAt: ["/api/v1/info"],
    reply: { status: 200, body: information },
  },
  auth: {
    section: "8.5",
    requirements: ["5-6"],
    server: "platform",
    summary: "Return the workspace of the key.",
    method: "GET",
    path: "/auth",
    alsoAt: ["/api/v1/auth"],
    reply: {
      status: 200,
      body: assumed(object({ tenant_id: uuid({ description: "The workspace." }) }), "platform.auth"),
    },
    refusals: [401, 403, 422, 429],
    workspace: "key",
    shown: false,
  },
  openapi: {
    ...system("/openapi.json", [429]),
    summary: "Return the OpenAPI document.",
    reply: { status: 200, body: health(freeForm()) },
  },
} as const satisfies Record<string, Operation>;
