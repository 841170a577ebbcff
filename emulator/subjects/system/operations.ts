import { openApiDocument } from "../../../contracts/openapi/openapi.ts";
import type { Handlers } from "../handler.ts";

/** Maximum rows per batch that /info announces to clients. */
const BATCH_ROWS = 100;

/** Handlers of health, versions and the workspace of an API key. */
export const SYSTEM_HANDLERS = {
  ok: () => ({ ok: true }),
  livez: () => ({ live: true }),
  readyz: () => ({ ready: true }),

  info(turn) {
    const { versions, limits } = turn.ports.settings;
    return {
      version: versions.service,
      application_version: versions.application,
      agent_server_version: versions.agent_server,
      license_expiration_time: null,
      batch_ingest_config: {
        use_multipart_endpoint: true,
        scale_up_qsize_trigger: 1000,
        scale_up_nthreads_limit: 16,
        scale_down_nempty_trigger: 4,
        size_limit: BATCH_ROWS,
        size_limit_bytes: limits.body_bytes,
      },
      flags: { assistants: true, crons: true, langsmith: true },
      instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: true },
    };
  },

  auth: (_turn, { workspace }) => ({ tenant_id: workspace.tenant_id }),

  openapi(turn) {
    const { versions, assumptions } = turn.ports.settings;
    return openApiDocument({ versions, assumptions });
  },
} satisfies Partial<Handlers>;
