import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { Refusal } from "../../kernel/refusal.ts";
import { CONTAINER_HOST, isLoopback } from "../../subjects/local-hosts.ts";

/** Keeps web pages that a developer happens to open away from the emulator. */
export interface BrowserGuard {
  /**
   * Why a request is refused (403, or 400 for a Host header that is sent twice); undefined when it may pass. A page of
   * the console may be opened from any site.
   */
  refusalOf(request: GuardedRequest, isConsolePage?: boolean): Refusal | undefined;
}

/** What is looked at of a request. */
interface GuardedRequest extends Pick<IncomingMessage, "method" | "headers" | "rawHeaders"> {
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

const PORT = /:\d*$/;

/**
 * A page of another site reaches a local port in three ways. It rebinds a name of its own to this machine: then `Host`
 * names that site. It sends requests with a script or a form: then `Origin` does. Or it loads an image, a script or a
 * window: then `Sec-Fetch-Site` says cross-site, and `Referer` names a page of this machine at most.
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

  /** Whether a request without Origin comes from a page of another site. */
  function isForeign({ referer = "", ...headers }: IncomingHttpHeaders, isConsolePage: boolean): boolean {
    if (headers["sec-fetch-site"] !== "cross-site") return false;
    if (isConsolePage) return headers["sec-fetch-mode"] !== "navigate";
    const [origin = ""] = /^[a-z]+:\/\/[^/]*/.exec(referer) ?? [];
    return !isOfThisMachine(origin) && !corsOrigins.includes(origin);
  }

  function originRefusal(
    origin: string,
    method: string,
    { host = "", [TOKEN_HEADER]: token }: IncomingHttpHeaders,
  ): Refusal | undefined {
    if (corsOrigins.includes(origin)) return undefined;
    if (!isOfThisMachine(origin) && !isSame(origin, host)) return foreignOrigin(origin);
    const mayWrite = consoleToken === undefined || token === consoleToken;
    return mayWrite || READS.includes(method) || !isSame(origin, host) ? undefined : readOnly();
  }

  return {
    refusalOf({ method = "GET", headers, rawHeaders, socket }, isConsolePage = false) {
      const { host = "", origin } = headers;
      if (isRepeated("host", rawHeaders))
        return new Refusal(400, "two_hosts", "The header Host is sent more than once.");
      if (!isAllowedHost(hostName(host), socket.localAddress)) return foreignHost(host);
      if (origin === undefined) return isForeign(headers, isConsolePage) ? crossSite() : undefined;
      return originRefusal(origin, method, headers);
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

function crossSite(): Refusal {
  return new Refusal(
    403,
    "cross_site",
    "Requests are not accepted from pages of another site (Sec-Fetch-Site: cross-site).",
    "If the page is yours, start with --cors-origins and its origin, and let it send Origin or Referer.",
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
