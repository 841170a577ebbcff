import { boolean, freeForm, integer, mapOf, nullable, object, optional, text, uuid } from "./fields.ts";
import type { Operation } from "./operation.ts";

const system = {
  section: "1",
  requirements: ["1-3"],
  server: "system",
  method: "GET",
  refusals: [],
  workspace: "none",
  shown: false,
} as const;

/** What the platform and the agent server tell about themselves; both are asked at /info. */
export const information = object({
  version: text({ description: "Emulated service version." }),
  application_version: text({ description: "Emulated application version." }),
  agent_server_version: text({ description: "Emulated agent-server version." }),
  license_expiration_time: nullable(text({ description: "Always null: there is no licence to expire." })),
  batch_ingest_config: object({
    use_multipart_endpoint: boolean({ description: "Whether trace rows may come in as multipart bodies." }),
    scale_up_qsize_trigger: integer(),
    scale_up_nthreads_limit: integer(),
    scale_down_nempty_trigger: integer(),
    size_limit: integer({ description: "Most trace rows in one batch of a client." }),
    size_limit_bytes: integer({ description: "Most bytes in one batch of a client." }),
  }),
  instance_flags: mapOf(boolean(), { description: "What request bodies may be compressed with." }),
  flags: optional(mapOf(boolean(), { description: "Parts of the agent server that are switched on." })),
});

/** §1 lists system endpoints for health and server information without showing them. */
export const SYSTEM_OPERATIONS = {
  ok: {
    ...system,
    summary: "Say that the server answers.",
    path: "/ok",
    reply: { status: 200, body: object({ ok: boolean() }) },
  },
  livez: {
    ...system,
    summary: "Say that the process lives.",
    path: "/livez",
    reply: { status: 200, body: object({ live: boolean() }) },
  },
  readyz: {
    ...system,
    summary: "Say whether seeding is done.",
    path: "/readyz",
    reply: { status: 200, body: object({ ready: boolean() }) },
  },
  info: {
    ...system,
    summary: "Tell versions and what ingest accepts.",
    path: "/info",
    alsoAt: ["/api/v1/info"],
    reply: { status: 200, body: information },
  },
  auth: {
    section: "8.5",
    requirements: ["5-6"],
    server: "platform",
    summary: "Say which workspace the key speaks for.",
    method: "GET",
    path: "/auth",
    alsoAt: ["/api/v1/auth"],
    reply: { status: 200, body: object({ tenant_id: uuid({ description: "The workspace." }) }) },
    refusals: [401, 403, 422, 429],
    workspace: "key",
    shown: false,
  },
  openapi: {
    ...system,
    summary: "Answer with the document derived from these tables.",
    path: "/openapi.json",
    reply: { status: 200, body: freeForm() },
  },
} as const satisfies Record<string, Operation>;
