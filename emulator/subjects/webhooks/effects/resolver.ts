import { lookup as lookUp } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/** The machine's own way, its hosts file included. */
export const resolveHost: Resolve = (host) => lookUp(host, { all: true });

/** The addresses of what stands in a URL; an address there is its own. */
export async function addressesOf(host: string, resolve: Resolve): Promise<readonly Address[]> {
  const bare = host.replace(/^\[|\]$/g, "");
  const family = isIP(bare);
  return family === 0 ? resolve(bare) : [{ address: bare, family }];
}

/** Makes a connection go to the addresses that were checked, whatever the name means by now. */
export function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_host, { all, family }, callback) => {
    const fitting = addresses.filter((one) => !family || one.family === Number(family));
    const [first] = fitting.length > 0 ? fitting : addresses;
    if (!first) callback(new Error("The name has no address."), "", 0);
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
