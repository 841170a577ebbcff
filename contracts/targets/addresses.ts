import type { Identity } from "../engine/target.ts";

/** Addresses of a server, the credentials to use, and what is allowed there. */
export interface Addresses {
  /** Absent where only an agent server is tested. */
  readonly url?: string;
  readonly euUrl?: string;
  readonly agentUrl?: string;
  /** Id, graph or name of the assistant for runs. */
  readonly assistant?: string;
  /** By default an emulator gets a new key for each case, so that the rate limits of §8.5 do not interfere. */
  readonly apiKey?: string;
  /** By default an emulator gets a new workspace for each case. */
  readonly tenantId?: string;
  /** A destination, a tracing project and a thread that the server has, for cases that cannot make their own. */
  readonly destinationId?: string;
  readonly sessionId?: string;
  readonly threadId?: string;
  /** Operations that the server has, by section or as `POST /runs/stream`: a 404 of one of them is a FAIL. */
  readonly implements?: readonly string[];
  /** Sent with every request; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the cases wait for an export or run to end, in milliseconds, where the clock cannot be moved. */
  readonly waitMs?: number;
  readonly s3?: { readonly endpoint: string | null } & Omit<Identity["bucket"], "endpointUrl">;
  readonly allowWrites: boolean;
  /** Address of the adapter that moves the clock of the server, restarts and empties it. */
  readonly adapterUrl?: string;
  /** Checks the key of a remote service first, as is always done for a local server. */
  readonly greets?: boolean;
  /** World of an emulator to test; by default one is created for the run and removed afterwards. */
  readonly world?: string;
  /** Treats the server as local, whatever its address. */
  readonly isOwn?: boolean;
}

const LOCAL = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|host\.docker\.internal)$/;

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL.test(new URL(url).hostname);
}

/** Whether all addresses are local; otherwise the service needs --allow-writes. */
export function areLocal({ url, euUrl, agentUrl }: Pick<Addresses, "url" | "euUrl" | "agentUrl">): boolean {
  return [url, euUrl, agentUrl].every((address) => address === undefined || isLocal(address));
}
