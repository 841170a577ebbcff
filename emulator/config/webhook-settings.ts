import { WEBHOOK_SETTINGS, type WebhookSettingKey } from "../../contracts/spec/webhooks/settings.ts";
import type { Versions, WebhookSettings } from "../subjects/settings.ts";
import { missingVersion } from "../subjects/versions.ts";
import type { Problem } from "./problem.ts";
import type { NamedValues } from "./settings.ts";

type ValueOf = <Path extends keyof NamedValues>(path: Path) => NamedValues[Path];

type Environment = Readonly<Record<string, string | undefined>>;

const URL_BLOCK = "webhooks.url";

const TEMPLATE = /\$\{\{\s*env\.([^\s}]*)\s*\}\}/g;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** May be empty; blanks at its ends would be cut off on the way. */
const HEADER_VALUE = /^(?![\t ])[\t\x20-\x7e\x80-\xff]*(?<![\t ])$/;

/** A host, or a wildcard for its subdomains; without scheme, port or path, which would never match. */
const DOMAIN = /^(?:\*\.)?(?:\[[0-9a-f:.]+\]|[^\s/\\:@?#*[\]]+)$/i;

/** Headers that follow from the request or the connection: a static one would be overwritten. */
const RESERVED_HEADERS = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The webhook settings of §6.1 for the domain; invalid ones become problems and prevent the start. */
export function webhookSettings(
  value: ValueOf,
  environment: Environment,
  problems: Problem[],
): WebhookSettings {
  return {
    disabled: value("http.disable_webhooks"),
    headers: resolvedHeaders(value("webhooks.headers"), value("webhooks.env_prefix"), environment, problems),
    url: {
      allowed_domains: checkedDomains(value("webhooks.url.allowed_domains"), problems),
      require_https: value("webhooks.url.require_https"),
      allowed_ports: value("webhooks.url.allowed_ports"),
      disable_loopback: value("webhooks.url.disable_loopback"),
      max_url_length: value("webhooks.url.max_url_length"),
      test_receivers: value("webhooks.url.test_receivers"),
    },
  };
}

function checkedDomains(domains: readonly string[] | null, problems: Problem[]): readonly string[] | null {
  const bad = domains?.filter(
    (name) => !DOMAIN.test(name) || !URL.canParse(`http://${name.replace(/^\*\./, "")}`),
  );
  for (const name of bad ?? [])
    problems.push({
      where: "webhooks.url.allowed_domains",
      what: `${JSON.stringify(name)} is not a host name`,
      fix: "write hooks.example.com, or *.example.com for its subdomains",
    });
  return domains;
}

/** §9.4, 6.1-10: a setting that the emulated version does not have is a problem, not ignored. */
export function checkWebhookVersions(
  paths: readonly string[],
  versions: Versions,
  problems: Problem[],
): void {
  for (const path of paths) {
    const row = path in WEBHOOK_SETTINGS ? WEBHOOK_SETTINGS[path as WebhookSettingKey] : undefined;
    const gate = path === URL_BLOCK ? "webhook_settings" : row?.gate;
    const versionProblem = gate && missingVersion(versions, gate);
    if (versionProblem)
      problems.push({
        where: path,
        what: versionProblem.replace(/\.$/, ""),
        fix: "leave it out, or emulate that version",
      });
  }
}

function resolvedHeaders(
  templates: Readonly<Record<string, string>>,
  prefix: string,
  environment: Environment,
  problems: Problem[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const usedNames = new Set<string>();
  for (const [name, template] of Object.entries(templates)) {
    const complain = (reason: string, fix: string) =>
      problems.push({ where: `webhooks.headers: ${name}`, what: reason, fix });
    if (!HEADER_NAME.test(name)) complain("not a valid header name", "use letters, digits and hyphens");
    if (RESERVED_HEADERS.has(name.toLowerCase())) complain("HTTP sets this header itself", "leave it out");
    if (usedNames.has(name.toLowerCase())) complain("the header is given twice", "keep one of the spellings");
    usedNames.add(name.toLowerCase());
    if (template.replace(TEMPLATE, "").includes("${{"))
      complain("the value is not a single template", "write ${{ env.NAME }}");
    headers[name] = template.replace(TEMPLATE, (_, variable: string) => {
      if (!variable.startsWith(prefix)) {
        complain(`${variable} does not begin with ${prefix}`, "rename it, or set webhooks.env_prefix");
        return "x";
      }
      const variableValue = environment[variable];
      // A variable that is set and empty is not missing (§6.1).
      if (variableValue === undefined)
        complain(`the environment variable ${variable} is missing`, "set it, or leave the header out");
      // Stands for what is missing, so that only that is reported of the value.
      return variableValue ?? "x";
    });
    if (!HEADER_VALUE.test(headers[name] ?? ""))
      complain(
        "the value begins or ends with a blank, or has characters that are not allowed in a header",
        "check the value and its variables",
      );
  }
  return headers;
}
