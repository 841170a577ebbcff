import type { VersionGateKey } from "../versions.ts";

/** A key of the service's configuration file that webhooks obey (§6.1). */
export interface WebhookSetting {
  readonly type: "map" | "text" | "texts" | "integers" | "boolean" | "integer";
  /** The default; null where there is none. */
  readonly initial: string | number | boolean | null;
  readonly requirement: string;
  /** The version that brought it. */
  readonly gate: VersionGateKey;
  readonly text: string;
}

/** §6.1: every key is a setting of the emulator under the same name. */
export const WEBHOOK_SETTINGS = {
  "webhooks.headers": {
    type: "map",
    initial: null,
    requirement: "6.1-1",
    gate: "webhook_settings",
    text: "headers of every delivery; values may embed ${{ env.NAME }}",
  },
  "webhooks.env_prefix": {
    type: "text",
    initial: "LG_WEBHOOK_",
    requirement: "6.1-2",
    gate: "webhook_settings",
    text: "required prefix of the environment variables that webhooks.headers may use",
  },
  "webhooks.url.allowed_domains": {
    type: "texts",
    initial: null,
    requirement: "6.1-4",
    gate: "webhook_settings",
    text: "hosts that may be called; *.<domain> means its subdomains",
  },
  "webhooks.url.require_https": {
    type: "boolean",
    initial: false,
    requirement: "6.1-5",
    gate: "webhook_settings",
    text: "whether http:// URLs are refused",
  },
  "webhooks.url.allowed_ports": {
    type: "integers",
    initial: null,
    requirement: "6.1-6",
    gate: "webhook_settings",
    text: "ports that may be called; unset, 443 for https and 80 for http",
  },
  "webhooks.url.disable_loopback": {
    type: "boolean",
    initial: false,
    requirement: "6.1-7",
    gate: "webhook_settings",
    text: "whether relative URLs are refused",
  },
  "webhooks.url.max_url_length": {
    type: "integer",
    initial: 4096,
    requirement: "6.1-8",
    gate: "webhook_settings",
    text: "longest URL in characters",
  },
  "http.disable_webhooks": {
    type: "boolean",
    initial: false,
    requirement: "6.1-9",
    gate: "disable_webhooks",
    text: "whether webhooks are off",
  },
} as const satisfies Record<string, WebhookSetting>;

export type WebhookSettingKey = keyof typeof WEBHOOK_SETTINGS;

/** One rule that a webhook's URL has to pass. */
export interface WebhookUrlRule {
  readonly requirement: string;
  /** What switches it on; absent where it always holds. */
  readonly setting?: WebhookSettingKey;
  readonly assumption?: string;
  /** What it says when it refuses; words in braces are filled in. */
  readonly refusal: string;
}

/** In the order in which they are asked: the first that refuses decides. */
export const WEBHOOK_URL_RULES = {
  length: {
    requirement: "6.1-8",
    setting: "webhooks.url.max_url_length",
    refusal: "Webhook URL too long: {length} characters, {limit} are allowed",
  },
  form: {
    requirement: "6-3",
    assumption: "agent.webhook_url_form",
    refusal: "Webhook must be an http or https URL, or a path that begins with one slash",
  },
  loopback: {
    requirement: "6.1-7",
    setting: "webhooks.url.disable_loopback",
    refusal: "Loopback webhooks are disabled: relative URLs are refused",
  },
  control: {
    requirement: "6.1-7",
    assumption: "agent.webhook_control_paths",
    refusal: "Webhook must not drive the emulator: below /_emulator/ only /_emulator/inbox/ is a receiver",
  },
  https: {
    requirement: "6.1-5",
    setting: "webhooks.url.require_https",
    refusal: "Webhook must use https",
  },
  port: {
    requirement: "6.1-6",
    setting: "webhooks.url.allowed_ports",
    refusal: "Webhook port {port} not allowed for {scheme}: {allowed}",
  },
  domain: {
    requirement: "6.1-4",
    setting: "webhooks.url.allowed_domains",
    refusal: "Webhook domain not allowed: {host}",
  },
  address: {
    requirement: "6.1-4",
    assumption: "agent.webhook_local_addresses",
    refusal: "Webhook host blocked: {host} is {address}, which is {kind}",
  },
} as const satisfies Record<string, WebhookUrlRule>;

export type WebhookUrlRuleName = keyof typeof WEBHOOK_URL_RULES;
