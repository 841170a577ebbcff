import { withoutSecretsIn } from "../engine/exchange.ts";
import type { WireReply, WireRequest } from "../engine/http-message.ts";
import { isDeeperThan } from "../engine/json.ts";
import { firstOf } from "../engine/oracle/check-reply.ts";
import type { OracleFinding, ParsedExchange } from "../engine/oracle/oracle.ts";
import type { Profile } from "../engine/profile.ts";
import type { RecordedExchange } from "../engine/recorded.ts";
import { BOUNDS } from "../spec/bounds.ts";
import { isSecretHeader } from "../spec/secrets.ts";
import { endpointOf } from "./oracle.ts";
import { openTableOracle } from "./table-oracle.ts";

/** A recorded exchange in the form that oracles check. */
export interface RecordedWire {
  readonly request: WireRequest;
  readonly reply: WireReply;
}

const BASE = /^(?:[a-z]+:\/\/[^/?]*)?(?:\/w\/[^/?]+(?=\/))?/i;

/** The origin of a URL and the base path of a world; empty for a path. */
export function baseOf(url: string): string {
  return BASE.exec(url)?.[0] ?? "";
}

/** `base`: the beginning of the URL that is not part of the path; by default the origin and the path of a world. */
export function wireOf(exchange: RecordedExchange, base?: string): RecordedWire {
  const { method, url, requestHeaders = {}, requestBody, status, headers, body, region = "us" } = exchange;
  const rest = base === undefined ? url.slice(baseOf(url).length) : url.slice(base.length);
  const path = rest.replace(/#.*$/, "") || "/";
  const sentBody = requestBody === undefined ? {} : { body: textOf(requestBody) };
  return {
    request: { region, method: method.toUpperCase(), path, headers: lowerCased(requestHeaders), ...sentBody },
    reply: {
      status,
      headers: lowerCased(headers ?? { "content-type": "application/json" }),
      text: body === undefined ? "" : textOf(body),
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function lowerCased(headers: RecordedExchange["headers"] & object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

/** The values of headers with secret names, and the tokens in them. */
export function secretsIn({ headers }: WireRequest): ReadonlySet<string> {
  const values = Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []));
  return new Set(values.flatMap((value) => [value, value.replace(/^\w+ +/, "")]));
}

/** Why an exchange cannot be checked; undefined when it can. */
export function problemOf({ request, reply }: RecordedWire): string | undefined {
  const levels = BOUNDS.json_levels.value;
  const isDeep = [request.body ?? "", reply.text].some((text) => isDeeperThan(levels, text));
  return isDeep ? `the JSON of a body is nested more than ${levels} levels deep` : undefined;
}

/** UNSUPPORTED: the finding about an exchange that cannot be checked. */
export function uncheckedFinding({ row }: ParsedExchange, why: string): OracleFinding {
  return {
    verdict: "UNSUPPORTED",
    blame: "caller",
    requirement: firstOf(row),
    section: row.section,
    text: why,
  };
}

/** Checks an exchange; findings do not contain `secrets`. */
export async function findingsOf(
  { request, reply }: RecordedWire,
  { requestHeaders }: RecordedExchange,
  secrets: ReadonlySet<string>,
  profile?: Profile,
): Promise<readonly OracleFinding[]> {
  const oracle = await openTableOracle(profile);
  const findings = withoutSecretsIn(await oracle.check(request, reply, secretsIn(request)), secrets);
  // Without the recorded request the request of the caller cannot be checked.
  return requestHeaders ? findings : findings.filter(({ blame }) => blame !== "caller");
}

/** Whether this API has the operation. A path whose escapes are invalid is not part of it. */
export function isOfThisApi(request: WireRequest): boolean {
  const [path = ""] = request.path.split("?");
  try {
    decodeURIComponent(path);
  } catch {
    return false;
  }
  return endpointOf(request) !== undefined;
}
