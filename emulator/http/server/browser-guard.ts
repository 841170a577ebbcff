import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { Refusal } from "../../kernel/refusal.ts";
import { CONTROL_PREFIX } from "../../subjects/control-prefix.ts";
import { CONTAINER_HOST, isLoopback } from "../../subjects/local-hosts.ts";

/** Keeps web pages that a developer happens to open away from the emulator. */
export interface BrowserGuard {
  /**
   * Why a request is refused (403, or 400 for a Host header that is sent twice); undefined when it may pass. The server
   * is the API, unless another one is named.
   */
  refusalOf(request: GuardedRequest, server?: GuardedServer): Refusal | undefined;
}

/** Any site may link to the console. Pages of this machine may load objects as images and scripts. */
type GuardedServer = "api" | "console" | "objects";

/** What is looked at of a request. */
interface GuardedRequest extends Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders"> {
  readonly socket: Pick<Socket, "localAddress">;
}

export interface BrowserGuardOptions {
  /** Host names at which requests are taken, in addition to those of this machine and of container networks. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages that may read and write, in addition to those of this machine. */
  readonly corsOrigins: readonly string[];
  /** Without it the console may only read; undefined where it may write anyhow. */
  readonly consoleToken?: string | undefined;
}

/** Carries the token with which the console may write. */
const TOKEN_HEADER = "x-emulator-console-token";
const READS = ["GET", "HEAD", "OPTIONS"];
const CONTROL_PATH = new RegExp(`^(?:/w/[^/]+)?${CONTROL_PREFIX}`);
/** Content types that a page may send to another origin without a preflight. */
const SIMPLE_TYPE = /^(?:$|text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)/;

const PORT = /:\d*$/;

/**
 * A page of another site reaches a local port in three ways. It rebinds a name of its own to this machine: then `Host`
 * names that site. It sends requests with a script or a form: then `Origin` does. Or it loads an image, a script or a
 * window: then `Sec-Fetch-Site` is cross-site or same-site, and `Referer` names a page of this machine at most. A page of
 * this machine, at another port, may use the API, and the control API with requests that need a preflight.
 */
export function createBrowserGuard({
  allowedHosts,
  corsOrigins,
  consoleToken,
}: BrowserGuardOptions): BrowserGuard {
  const isAllowedHost = (name: string, localAddress: string | undefined): boolean =>
    isLoopback(name) ||
    // Public DNS has no names without a dot, and an address cannot be rebound.
    (!name.includes(".") && isIP(withoutBrackets(name)) === 0 && name !== "") ||
    name === CONTAINER_HOST ||
    withoutBrackets(name) === localAddress ||
    allowedHosts.includes(name);

  /** Whether a request without Origin comes from a page that may not send it. Reads of the control API have no effect. */
  function isForeign(
    { method = "GET", url = "/", headers: { referer = "", ...headers } }: GuardedRequest,
    server: GuardedServer,
  ): boolean {
    const site = headers["sec-fetch-site"];
    if (site !== "cross-site" && site !== "same-site") return false;
    if (server === "console") return site === "cross-site" && headers["sec-fetch-mode"] !== "navigate";
    const [origin = ""] = /^[a-z]+:\/\/[^/]*/.exec(referer) ?? [];
    if (corsOrigins.includes(origin)) return false;
    const hasEffect = server === "api" && !(READS.includes(method) && CONTROL_PATH.test(url));
    return hasEffect || (site === "cross-site" && !isOfThisMachine(origin));
  }

  function originRefusal(
    origin: string,
    { method = "GET", url = "/", headers }: GuardedRequest,
  ): Refusal | undefined {
    const { host = "", "content-type": type = "", [TOKEN_HEADER]: token } = headers;
    if (corsOrigins.includes(origin)) return undefined;
    if (isSame(origin, host)) {
      const mayWrite = consoleToken === undefined || token === consoleToken;
      return mayWrite || READS.includes(method) ? undefined : readOnly();
    }
    if (!isOfThisMachine(origin)) return foreignOrigin(origin);
    const needsNoPreflight = method === "POST" && SIMPLE_TYPE.test(type.trim().toLowerCase());
    return needsNoPreflight && CONTROL_PATH.test(url) ? simpleWrite(origin) : undefined;
  }

  return {
    refusalOf(request, server = "api") {
      const { headers, rawHeaders, socket } = request;
      const { host = "", origin } = headers;
      if (isRepeated("host", rawHeaders))
        return new Refusal(400, "two_hosts", "The header Host is sent more than once.");
      if (!isAllowedHost(hostName(host), socket.localAddress)) return foreignHost(host);
      if (origin !== undefined) return originRefusal(origin, request);
      return isForeign(request, server) ? crossSite(String(headers["sec-fetch-site"])) : undefined;
    },
  };
}

const SCHEME = /^https?:\/\//;

function isOfThisMachine(origin: string): boolean {
  return SCHEME.test(origin) && isLoopback(hostName(origin.replace(SCHEME, "")));
}

/** A page that the emulator serves itself. */
function isSame(origin: string, host: string): boolean {
  return SCHEME.test(origin) && origin.replace(SCHEME, "").toLowerCase() === host.toLowerCase();
}

/** Node keeps the first of several. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

function hostName(authority: string): string {
  return authority.replace(PORT, "").toLowerCase();
}

function withoutBrackets(name: string): string {
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}

function foreignHost(host: string): Refusal {
  const name = hostName(host);
  return new Refusal(
    403,
    "foreign_host",
    `Requests are not accepted at the host ${JSON.stringify(name)}.`,
    name === "" ? "Send a Host header." : `If it is yours, start with --allowed-hosts ${name}.`,
  );
}

function foreignOrigin(origin: string): Refusal {
  return new Refusal(
    403,
    "foreign_origin",
    `Requests are not accepted from pages of ${JSON.stringify(origin)}.`,
    "If it is yours, start with --cors-origins and this origin.",
  );
}

function crossSite(site: string): Refusal {
  return new Refusal(
    403,
    "cross_site",
    `Images, scripts, frames and links of other pages are not accepted (Sec-Fetch-Site: ${site}).`,
    "If the page is yours, let it use fetch(), or start with --cors-origins and its origin.",
  );
}

function simpleWrite(origin: string): Refusal {
  return new Refusal(
    403,
    "simple_write",
    `A page of ${JSON.stringify(origin)} cannot change the emulator with a form or a request that needs no preflight.`,
    "If the page is yours, send Content-Type: application/json.",
  );
}

function readOnly(): Refusal {
  return new Refusal(
    403,
    "console_read_only",
    "The console may only read, since the emulator can be reached from other machines.",
    "Open the address with the token that `emulator start` has printed.",
  );
}
