import { WEBHOOK_URL_RULES, type WebhookUrlRuleName } from "../../../contracts/spec/webhooks/settings.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { CONTAINER_HOST } from "../local-hosts.ts";
import type { Settings } from "../settings.ts";
import type { Turn } from "../turn.ts";
import { isAddress, localKind } from "./addresses.ts";

/** The policy for webhook URLs: §6.1, completed by assumptions. */
export interface WebhookPolicy {
  readonly maxUrlLength: number;
  readonly disableLoopback: boolean;
  readonly requireHttps: boolean;
  /** `by_scheme`: 443 for https and 80 for http. */
  readonly allowedPorts: readonly number[] | "by_scheme";
  /** Whether hosts of this machine and of private networks may be called at any port (6.1-11). */
  readonly allowTestReceivers: boolean;
  /** Null admits every host. */
  readonly allowedDomains: readonly string[] | null;
  /** Whether private, loopback and link-local addresses may be called; always if they are on a list of domains. */
  readonly allowLocal: boolean;
}

/** The target of a webhook: a path of the emulator itself, or an external URL. */
export type WebhookTarget =
  | { readonly kind: "loopback"; readonly path: string }
  | { readonly kind: "remote"; readonly url: URL };

/** The rule of §6.1 that a URL violates; the message contains no secret. */
export interface WebhookRefusal {
  readonly rule: WebhookUrlRuleName;
  readonly message: string;
}

/** Test-only paths, of any world; of these, a run may only call the built-in receiver. */
const CONTROL_PATH = /^(?:\/w\/[^/]+)?\/_emulator(?!\/inbox\/|[^/?#])/;

/** Invalid in URLs: parsers drop them or read them as a slash and may then find a different host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant.
const NO_URL = /[\\\u0000-\u001f\u007f]/;

const STANDARD_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

/** The setting by which a receiver on this machine may use any port; our addition (6.1-11). */
export const TEST_RECEIVERS = "webhooks.url.test_receivers";

/** Derives the policy from settings and assumptions. */
export function policyOf({
  webhooks,
  assumptions,
}: Pick<Settings, "webhooks" | "assumptions">): WebhookPolicy {
  const { url } = webhooks;
  return {
    maxUrlLength: url.max_url_length,
    disableLoopback: url.disable_loopback,
    requireHttps: url.require_https,
    allowedPorts: url.allowed_ports ?? "by_scheme",
    allowTestReceivers: url.test_receivers && url.allowed_ports === null,
    allowedDomains: url.allowed_domains?.map(asHostName) ?? null,
    allowLocal: assumptions["agent.webhook_local_addresses"] === "allow" || url.allowed_domains !== null,
  };
}

/** Parses the target of a webhook; undefined for an invalid URL. */
export function webhookTarget(text: string): WebhookTarget | undefined {
  if (NO_URL.test(text)) return undefined;
  if (/^\/(?!\/)/.test(text)) return { kind: "loopback", path: text };
  // The URL parser would repair `http:host` and `https:///host`; such ambiguous URLs are rejected.
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return undefined;
  return { kind: "remote", url: new URL(text) };
}

/** The first rule that refuses this URL; undefined when none does. Names are resolved only at delivery. */
export function webhookRefusal(policy: WebhookPolicy, text: string): WebhookRefusal | undefined {
  if (text.length > policy.maxUrlLength)
    return refusal("length", { length: text.length, limit: policy.maxUrlLength });
  const target = webhookTarget(text);
  if (!target) return refusal("form");
  if (target.kind === "loopback") return loopbackRefusal(policy, target.path);
  return remoteRefusal(policy, target.url);
}

/** The setting without which a rule would refuse this URL, which the policy admits; otherwise null. */
export function passedBy(policy: WebhookPolicy, text: string): typeof TEST_RECEIVERS | null {
  if (!policy.allowTestReceivers || webhookRefusal(policy, text)) return null;
  return webhookRefusal({ ...policy, allowTestReceivers: false }, text) ? TEST_RECEIVERS : null;
}

/** Checks an address that a host name was resolved to or that the URL contains. */
export function addressRefusal(
  policy: WebhookPolicy,
  host: string,
  address: string,
): WebhookRefusal | undefined {
  const kind = policy.allowLocal ? undefined : localKind(address);
  return kind === undefined ? undefined : refusal("address", { host, address, kind });
}

/** §6.1: throws a `Refusal` (422) for a webhook that the policy does not admit. */
export function refuseWebhookUrl(turn: Turn, url: string, where = "body"): void {
  const urlRefusal = webhookRefusal(policyOf(turn.ports.settings), url);
  if (urlRefusal)
    throw new Refusal(
      422,
      "invalid_webhook",
      `${where}.webhook: ${urlRefusal.message}.`,
      "POST /_emulator/v1/webhooks/check explains it.",
      WEBHOOK_URL_RULES[urlRefusal.rule].requirement,
    );
}

function loopbackRefusal(policy: WebhookPolicy, path: string): WebhookRefusal | undefined {
  if (policy.disableLoopback) return refusal("loopback");
  return CONTROL_PATH.test(path) ? refusal("control") : undefined;
}

function remoteRefusal(policy: WebhookPolicy, url: URL): WebhookRefusal | undefined {
  const host = hostOf(url);
  if (CONTROL_PATH.test(url.pathname) && mayBeOurs(host)) return refusal("control");
  if (policy.requireHttps && url.protocol !== "https:") return refusal("https");
  const wrongPort = portRefusal(policy, url);
  if (wrongPort) return wrongPort;
  if (policy.allowedDomains && !policy.allowedDomains.some((domain) => admits(domain, host)))
    return refusal("domain", { host });
  if (!isAddress(host)) return policy.allowLocal ? undefined : localNameRefusal(host);
  return addressRefusal(policy, host, host);
}

/** Hosts at which the emulator may be reached: this machine, private networks, names of containers. */
function mayBeOurs(host: string): boolean {
  return (
    !host.includes(".") ||
    host === CONTAINER_HOST ||
    localNameRefusal(host) !== undefined ||
    localKind(host) !== undefined
  );
}

function portRefusal(
  { allowedPorts, allowTestReceivers }: WebhookPolicy,
  url: URL,
): WebhookRefusal | undefined {
  if (allowTestReceivers && mayBeOurs(hostOf(url))) return undefined;
  const port = portOf(url);
  const scheme = url.protocol.slice(0, -1);
  const standard = STANDARD_PORTS[url.protocol] ?? 0;
  const admitted = allowedPorts === "by_scheme" ? [standard] : allowedPorts;
  if (admitted.includes(port)) return undefined;
  const allowedText =
    allowedPorts === "by_scheme"
      ? `only ${standard} is, unless webhooks.url.allowed_ports names others`
      : `webhooks.url.allowed_ports names ${allowedPorts.join(", ") || "none"}`;
  return refusal("port", { port, scheme, allowed: allowedText });
}

/** §6.1: a URL without a port counts as 443 for https and 80 for http. */
export function portOf({ port, protocol }: URL): number {
  return port === "" ? (STANDARD_PORTS[protocol] ?? 0) : Number(port);
}

/** The host in lower case and ASCII, without the trailing dot of a fully qualified name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}

/** Refuses localhost names, which are local whatever they resolve to. */
function localNameRefusal(host: string): WebhookRefusal | undefined {
  if (host !== "localhost" && !host.endsWith(".localhost")) return undefined;
  return refusal("address", { host, address: "this machine", kind: "loopback" });
}

/** Whether a domain pattern admits a host; a wildcard admits subdomains but not the domain itself. */
function admits(domain: string, host: string): boolean {
  return domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain;
}

/** Normalises a domain with the URL parser, so that case, Unicode and number forms compare equal. */
function asHostName(domain: string): string {
  const [star, name] = domain.startsWith("*.") ? ["*.", domain.slice(2)] : ["", domain];
  return star + (URL.canParse(`http://${name}`) ? hostOf(new URL(`http://${name}`)) : name.toLowerCase());
}

function refusal(
  rule: WebhookUrlRuleName,
  words: Readonly<Record<string, string | number>> = {},
): WebhookRefusal {
  const { refusal: template } = WEBHOOK_URL_RULES[rule];
  return { rule, message: template.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name])) };
}
