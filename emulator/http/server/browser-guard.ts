import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Refusal } from "../../kernel/refusal.ts";
import { CONTAINER_HOST, isLoopback } from "../../subjects/local-hosts.ts";

/** Keeps web pages that a developer happens to open away from the emulator. */
export interface BrowserGuard {
  /** Why a request is refused (403, or 400 for a Host header that is sent twice); undefined when it may pass. */
  refusalOf(request: IncomingMessage): Refusal | undefined;
}

export interface BrowserGuardOptions {
  /** Host names at which requests are taken, in addition to those of this machine and of container networks. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages that may read and write, in addition to those of this machine. */
  readonly corsOrigins: readonly string[];
}

const PORT = /:\d*$/;

/**
 * A page of another site reaches a local port in two ways. It rebinds a name of its own to this machine: then `Host`
 * names that site. Or it sends requests as they are: then `Origin` does. Neither is believed on any port.
 */
export function createBrowserGuard({ allowedHosts, corsOrigins }: BrowserGuardOptions): BrowserGuard {
  const isAllowedHost = (name: string, localAddress: string | undefined): boolean =>
    isLoopback(name) ||
    // Public DNS has no names without a dot, and an address cannot be rebound.
    (!name.includes(".") && isIP(withoutBrackets(name)) === 0 && name !== "") ||
    name === CONTAINER_HOST ||
    withoutBrackets(name) === localAddress ||
    allowedHosts.includes(name);

  return {
    refusalOf({ headers, rawHeaders, socket }) {
      const { host = "", origin } = headers;
      if (isRepeated("host", rawHeaders))
        return new Refusal(400, "two_hosts", "The header Host is sent more than once.");
      if (!isAllowedHost(hostName(host), socket.localAddress)) return foreignHost(host);
      if (origin === undefined || isOwn(origin, host) || corsOrigins.includes(origin)) return undefined;
      return foreignOrigin(origin);
    },
  };
}

/** Pages of this machine, and those that the emulator serves itself. */
function isOwn(origin: string, host: string): boolean {
  const authority = origin.replace(/^https?:\/\//, "").toLowerCase();
  return authority !== origin && (isLoopback(hostName(authority)) || authority === host.toLowerCase());
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
