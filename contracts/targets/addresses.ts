import type { Identity } from "../engine/target.ts";

/** Where a server is, who the harness is to it, and what the harness may do there. */
export interface Addresses {
  /** Left out where there is an agent server and nothing else. */
  readonly url?: string;
  readonly euUrl?: string;
  readonly agentUrl?: string;
  /** Id, graph or name of the assistant that runs are started with. */
  readonly assistant?: string;
  /** Without one, an emulator is called with another key for each case, so that no limit of §8.5 is in the way. */
  readonly apiKey?: string;
  /** Without one, an emulator is asked in a workspace of its own for each case. */
  readonly tenantId?: string;
  readonly s3?: { readonly endpoint: string | null } & Omit<Identity["bucket"], "endpointUrl">;
  readonly allowWrites: boolean;
  /** A service elsewhere is asked first whether it knows the key, as a server on this machine always is. */
  readonly greets?: boolean;
  /** World of an emulator to judge as it stands; without one, a world is made and removed again. */
  readonly world?: string;
  /** Taken for a server on this machine, whatever its address looks like. */
  readonly isOwn?: boolean;
}

const LOCAL = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|host\.docker\.internal)$/;

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL.test(new URL(url).hostname);
}

/** One part elsewhere makes the whole of it a service that is not to be written to unasked. */
export function areLocal({ url, euUrl, agentUrl }: Pick<Addresses, "url" | "euUrl" | "agentUrl">): boolean {
  return [url, euUrl, agentUrl].every((address) => address === undefined || isLocal(address));
}
