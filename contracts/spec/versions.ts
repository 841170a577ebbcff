/** §9.4: since which version a feature exists. */
export interface VersionGate {
  readonly feature: string;
  readonly service?: string;
  readonly application?: string;
  readonly agent_server?: string;
  readonly requirement: string;
}

/** §9.4: which version has brought a feature; an older one that is emulated does not have it. */
export const VERSION_GATES = {
  session_token: {
    feature: "Temporary credentials with a session_token",
    service: "0.10.34",
    application: "0.10.91",
    requirement: "2.4-3",
  },
  scheduled_exports: {
    feature: "Scheduled exports",
    service: "0.10.42",
    application: "0.10.109",
    requirement: "2.5-8",
  },
  export_fields: {
    feature: "A choice of columns with export_fields",
    service: "0.12.11",
    application: "0.12.42",
    requirement: "2.5-5",
  },
  webhook_settings: {
    feature: "A configuration of webhook headers and addresses",
    agent_server: "0.5.36",
    requirement: "6.1-10",
  },
  disable_webhooks: {
    feature: "Switching webhooks off",
    agent_server: "0.2.78",
    requirement: "6.1-9",
  },
} as const satisfies Record<string, VersionGate>;

export type VersionGateKey = keyof typeof VERSION_GATES;

/** Emulated by default: every gate is open, and today's tracing clients accept them (the newest minimum is 0.18.0). */
export const DEFAULT_VERSIONS = {
  service: "0.18.0",
  application: "0.18.0",
  agent_server: "0.6.30",
} as const;

/** §9.2: version of the agent server's API description. */
export const AGENT_API_VERSION = "0.1.0";

/** §9.1: what the paths of the bulk-export endpoints begin with. */
export const API_PREFIX = "/api/v1";
