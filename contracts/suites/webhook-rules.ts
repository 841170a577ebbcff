import { suite } from "../engine/case.ts";
import { accepted, equal, includes } from "../engine/check.ts";
import type { Members } from "../engine/json.ts";
import { startRun, thread } from "./agent-helpers.ts";
import {
  EXTERNAL_URL,
  expectRejected,
  POLICY_NEEDS,
  policy,
  RETRY_NEEDS,
  startWith,
  TIMEOUT_MS,
} from "./webhooks.ts";

const HOOKS = "https://hooks.contract.example.com";
const TYPE = "application/vnd.contract+json";
const VALUE = 'a, b; c="d  e"';

/** §6.1: headers that follow from the request or the connection. */
const RESERVED = ["Host", "content-length", "Transfer-Encoding", "Connection"];

const DEFAULT_PREFIX = "LG_WEBHOOK_";

/** §6.1: prefixes (null is the default), and variables that a header may embed with them or not. */
const VARIABLES = [
  [null, "LG_WEBHOOK_CONTRACT", true],
  [null, "CONTRACT_PATH", false],
  [null, "X_LG_WEBHOOK_CONTRACT", false],
  [null, "lg_webhook_CONTRACT", false],
  [null, "LG_WEBHOOK", false],
  ["CONTRACT_", "CONTRACT_PATH", true],
  ["CONTRACT_", "MY_CONTRACT_PATH", false],
  ["CONTRACT_", "Contract_PATH", false],
  ["CONTRACT_", "LG_WEBHOOK_CONTRACT", false],
] as const;

/** A value of another type for each key of §6.1. */
const WRONG_TYPES: readonly Members[] = [
  { webhooks: { headers: ["X-Static"] } },
  { webhooks: { headers: { "X-Static": 7 } } },
  { webhooks: { env_prefix: ["CONTRACT_"] } },
  { webhooks: { url: { allowed_domains: "example.com" } } },
  { webhooks: { url: { allowed_domains: [7] } } },
  { webhooks: { url: { require_https: "off" } } },
  { webhooks: { url: { allowed_ports: 443 } } },
  { webhooks: { url: { allowed_ports: ["443"] } } },
  { webhooks: { url: { disable_loopback: 1 } } },
  { webhooks: { url: { max_url_length: "64" } } },
  { http: { disable_webhooks: "off" } },
];

/** §6.1: URLs that the rules of `webhooks.url` admit, and settings that a start accepts. */
export const WEBHOOK_RULE_CASES = suite({
  "6.1/allowed-domains": policy(
    "6.1-4",
    "only allowed domains are called; a star allows subdomains",
    { allowed_domains: ["example.com", "*.example.org"] },
    ["https://example.com/x", "https://a.example.org/x", "https://a.b.example.org/x"],
    (receiver) => [
      receiver,
      "https://example.net/x",
      "https://sub.example.com/x",
      "https://example.org/x",
      "https://evilexample.org/x",
      "https://example.com.evil.net/x",
    ],
  ),
  "6.1/require-https": policy(
    "6.1-5",
    "require_https refuses http",
    { require_https: true },
    [EXTERNAL_URL],
    (receiver) => [receiver, "http://hooks.contract.example.com/run"],
  ),
  "6.1/allowed-ports": policy(
    "6.1-6",
    "only allowed ports are called; a URL without one counts as 443 or 80",
    { allowed_ports: [443, 8443] },
    [EXTERNAL_URL, "https://hooks.contract.example.com:8443/run"],
    (receiver) => [
      receiver,
      "https://hooks.contract.example.com:444/run",
      "http://hooks.contract.example.com/run",
      "https://hooks.contract.example.com:9443/run",
    ],
  ),
  "6.1/disable-loopback": policy(
    "6.1-7",
    "disable_loopback refuses relative URLs, and no absolute ones",
    { disable_loopback: true, allowed_domains: ["hooks.contract.example.com", "localhost", "127.0.0.1"] },
    [EXTERNAL_URL, "http://localhost/run", "http://127.0.0.1/run"],
    (_, path) => [path, "/ok", "/runs/hook?x=1"],
  ),
  "6.1/max-url-length": policy(
    "6.1-8",
    "a URL above the maximum length is refused",
    { max_url_length: 64 },
    [`https://a.example.com/${"x".repeat(42)}`],
    (receiver) => [
      `${receiver}/${"x".repeat(64)}`,
      `https://a.example.com/${"x".repeat(64)}`,
      `https://a.example.com/${"x".repeat(43)}`,
    ],
  ),
  "6.1/default-ports": policy(
    "6.1-6",
    "without allowed_ports, only port 443 (https) and port 80 (http) are allowed",
    { require_https: false },
    [
      EXTERNAL_URL,
      "https://hooks.contract.example.com:443/run",
      "http://hooks.contract.example.com/run",
      "http://hooks.contract.example.com:80/run",
    ],
    () => [
      "https://hooks.contract.example.com:9443/run",
      "https://hooks.contract.example.com:444/run",
      "https://hooks.contract.example.com:80/run",
      "http://hooks.contract.example.com:443/run",
      "https://hooks.contract.example.com:8443/run",
      "http://hooks.contract.example.com:8080/run",
    ],
  ),
  "6.1/allowed-addresses": policy(
    "6.1-4",
    "a host on allowed_domains is allowed whatever its address",
    { allowed_domains: ["localhost", "127.0.0.1", "10.0.0.8", "*.internal.example.com"] },
    [
      "http://localhost/run",
      "http://127.0.0.1/run",
      "http://10.0.0.8/run",
      "http://a.internal.example.com/run",
    ],
    () => ["http://127.0.0.2/run", "http://sub.localhost/run", "http://10.0.0.9/run"],
  ),
  "6.1/no-url-block": {
    title: "without a webhooks.url block the default ports apply",
    requirements: ["6.1-6", "6.1-11"],
    needs: POLICY_NEEDS,
    settings: { http: { disable_webhooks: false } },
    async run(t) {
      t.fact("6.1-6", accepted(await startWith(t, EXTERNAL_URL)), `${EXTERNAL_URL} is accepted`);
      await expectRejected(t, "6.1-6", [`${HOOKS}:9443/run`, `${HOOKS}:80/run`, `${HOOKS}:8443/run`]);
      const local = "http://127.0.0.1:8080/run";
      t.choice("agent.webhook_test_receivers", accepted(await startWith(t, local)), `${local} is accepted`);
    },
  },
  "6.1/static-content-type": {
    title: "a static header replaces a default header of the delivery",
    requirements: ["6.1-1"],
    needs: RETRY_NEEDS,
    settings: { webhooks: { headers: { "content-TYPE": TYPE, "X-Static": VALUE, "X-Empty": "" } } },
    async run(t) {
      const receiver = await t.receiver();
      await startRun(t, await thread(t), { webhook: receiver.url });
      await t.advance("PT1S");
      await receiver.arrived(1, TIMEOUT_MS);
      const [first] = receiver.deliveries;
      t.must("6.1-1", first !== undefined, "the run is delivered");
      t.fact("6.1-1", equal(first?.headers["content-type"], TYPE), "Content-Type is the static header");
      t.fact("6.1-1", equal(first?.headers["x-static"], VALUE), "the value is received unchanged");
      t.fact("6.1-1", equal(first?.headers["x-empty"], ""), "the empty value is received too");
    },
  },
  "6.1/reserved-headers": {
    title: "a static header that cannot be set prevents the start",
    requirements: ["6.1-1"],
    needs: ["settings"],
    async run(t) {
      for (const name of RESERVED) {
        const error = await t.refusesToStart({ webhooks: { headers: { [name]: "7" } } });
        t.fact("6.1-1", error !== null, `${name} prevents the start`);
        t.choice("6.1-1", includes(error, name), "the error names it");
      }
    },
  },
  "6.1/env": {
    title: "a missing variable, or a variable without the prefix, prevents the start",
    requirements: ["6.1-2", "6.1-3"],
    needs: ["settings"],
    async run(t) {
      const header = (value: string) => ({ headers: { "X-Token": value } });
      for (const first of ["", "${{ env.LG_WEBHOOK_FIRST }}:"]) {
        const webhooks = {
          ...header(`${first}\${{ env.LG_WEBHOOK_NOT_THERE }}`),
          env_prefix: DEFAULT_PREFIX,
        };
        const missingVariable = await t.refusesToStart({ webhooks, environment: { LG_WEBHOOK_FIRST: "x" } });
        t.fact(
          "6.1-3",
          missingVariable !== null,
          `a missing variable after ${JSON.stringify(first)} prevents the start`,
        );
        t.fact("6.1-3", missingVariable?.includes("LG_WEBHOOK_NOT_THERE") === true, "the error names it", {
          actual: missingVariable,
        });
      }
      for (const [prefix, name, isAllowed] of VARIABLES) {
        const first = `${prefix ?? DEFAULT_PREFIX}FIRST`;
        const webhooks = {
          ...header(`\${{ env.${first} }}:\${{ env.${name} }}`),
          ...(prefix !== null && { env_prefix: prefix }),
        };
        const error = await t.refusesToStart({ webhooks, environment: { [first]: "x", [name]: "x" } });
        const message = `${name} is ${isAllowed ? "allowed" : "refused"} with the prefix ${prefix ?? "by default"}`;
        const check = isAllowed ? equal(error, null) : error !== null;
        // Of the default prefix only the end is shown.
        if (prefix === null && name.includes(DEFAULT_PREFIX))
          t.choice("agent.webhook_env_prefix", check, message);
        else t.fact("6.1-2", check, message);
      }
    },
  },
  "6.1/empty-variable": {
    title: "an empty variable does not count as missing",
    requirements: ["6.1-3"],
    needs: ["settings"],
    async run(t) {
      const error = await t.refusesToStart({
        webhooks: { headers: { "X-Token": "${{ env.LG_WEBHOOK_EMPTY }}" }, env_prefix: DEFAULT_PREFIX },
        environment: { LG_WEBHOOK_EMPTY: "" },
      });
      t.choice("agent.webhook_empty_variable", equal(error, null), "the server starts");
    },
  },
  "6.1/types": {
    title: "each key accepts its type and no other",
    requirements: ["6.1-1", "6.1-4", "6.1-6", "6.1-10"],
    needs: ["settings"],
    async run(t) {
      const good = await t.refusesToStart({
        webhooks: {
          headers: { "X-Static": "fixed" },
          env_prefix: "CONTRACT_",
          url: {
            allowed_domains: ["example.com"],
            require_https: true,
            allowed_ports: [443],
            disable_loopback: false,
            max_url_length: 64,
          },
        },
        http: { disable_webhooks: false },
      });
      for (const id of ["6.1-1", "6.1-4", "6.1-6"] as const)
        t.fact(id, equal(good, null), "values of the documented types are accepted");
      for (const wrong of WRONG_TYPES) {
        const error = await t.refusesToStart(wrong);
        t.choice(
          "agent.webhook_setting_types",
          error !== null,
          `${JSON.stringify(wrong)} prevents the start`,
        );
      }
    },
  },
});
