import { promises } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/** The system's resolver, including the hosts file. */
export const resolveHost: Resolve = (host) => promises.lookup(host, { all: true });

/** The addresses of a URL's host; an IP address resolves to itself. */
export async function addressesOf(host: string, resolve: Resolve): Promise<readonly Address[]> {
  const bare = host.replace(/^\[|\]$/g, "");
  const family = isIP(bare);
  return family === 0 ? resolve(bare) : [{ address: bare, family }];
}

/** A lookup that returns the checked addresses, which prevents DNS rebinding between check and connect. */
export function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_host, { all, family }, callback) => {
    const fitting = addresses.filter((one) => !family || one.family === Number(family));
    const [first] = fitting.length > 0 ? fitting : addresses;
    if (!first) callback(new Error("The host name has no address."), "", 0);
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
