import { DEFAULT_VERSIONS } from "../../../contracts/spec/versions.ts";
import { mistakes, type Row } from "../row.ts";
import { answerInstead } from "../wire.ts";

const urlRules = (url: Readonly<Record<string, unknown>>) => ({ settings: { webhooks: { url } } });
const ports = (...allowed_ports: readonly number[]) => urlRules({ allowed_ports });
const domains = (...allowed_domains: readonly string[]) => urlRules({ allowed_domains });

/** Rules that a setting can turn wrong. */
export const SETTING_MISTAKES: readonly Row[] = mistakes({
  "2.4-3: every version uses a session token of its environment": answerInstead(
    ({ method, path, body = "" }) =>
      method === "POST" && path.endsWith("/destinations") && !body.includes('"credentials"'),
    200,
    { id: "00000000-0000-4000-8000-0000000000ee" },
  ),
  "2.4-4: a self-hosted deployment also requires credentials": { settings: { deployment: "hosted" } },
  "2.4-4: a hosted deployment uses credentials of its environment": {
    settings: { deployment: "self-hosted" },
  },
  "9-2: no feature depends on a version": { settings: { versions: DEFAULT_VERSIONS } },
  "3.1-8: an export is CREATED for five seconds": { settings: { timings: { one_off_start_delay: "PT5S" } } },
  "6-3: a delivery is not retried": { settings: { limits: { webhook_attempts: 1 } } },
  "6.1-4: an allowed domain also allows its subdomains": domains(
    "example.com",
    "*.example.com",
    "*.example.org",
  ),
  "6.1-4: local addresses are refused although they are allowed": answerInstead(
    ({ body }) => /"webhook":"http:..(?:localhost|127|10)/.test(body ?? ""),
    422,
    "no",
  ),
  "6.1-4: a star in allowed_domains allows nothing": domains("example.com", "example.org"),
  "6.1-5: require_https is ignored": urlRules({ require_https: false }),
  "6.1-6: another port is allowed": ports(443, 8443, 9443),
  "6.1-6: an http URL without a port is allowed": ports(443, 8443, 80),
  "6.1-6: ports 443 and 80 are allowed for both schemes": ports(443, 80),
  "6.1-6: every port is allowed by default": ports(443, 80, 8443, 8080),
  "6.1-6: an allowed port is refused": ports(443),
  "6.1-7: disable_loopback is ignored": urlRules({ disable_loopback: false }),
  "6.1-8: a URL can be one character too long": urlRules({ max_url_length: 65 }),
  "6.1-8: the maximum URL length is refused": urlRules({ max_url_length: 63 }),
  "6.1-9: disable_webhooks is ignored": { settings: { http: { disable_webhooks: false } } },
  "8.2-5: the limits cannot be set": { settings: { limits: { max_concurrent_exports_per_workspace: 15 } } },
  "8.5-1: no request is rate-limited": { settings: { rateLimits: "off" } },
});
