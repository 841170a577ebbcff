/** §6.1: the settings of webhooks, written down from the specification a second time. */

/** Types as the specification words them, and the gate of the version that brought a key. */
export const WEBHOOK_SETTINGS = {
  "webhooks.headers": { type: "map", gate: "webhook_settings" },
  "webhooks.env_prefix": { type: "text", gate: "webhook_settings" },
  "webhooks.url.allowed_domains": { type: "texts", gate: "webhook_settings" },
  "webhooks.url.require_https": { type: "boolean", gate: "webhook_settings" },
  "webhooks.url.allowed_ports": { type: "integers", gate: "webhook_settings" },
  "webhooks.url.disable_loopback": { type: "boolean", gate: "webhook_settings" },
  "webhooks.url.max_url_length": { type: "integer", gate: "webhook_settings" },
  "http.disable_webhooks": { type: "boolean", gate: "disable_webhooks" },
} as const;

/** What the default of `env_prefix` ends in. */
export const ENV_PREFIX_END = "WEBHOOK_";
