import { BlockList, isIP } from "node:net";

/** Finds the address of the client behind those proxies that are trusted to name it. */
export interface ClientAddresses {
  find(peer: string | undefined, forwardedFor: string | undefined): string;
}

/** Proxies in a row; a longer list is nobody's honest account. */
const MAX_HOPS = 20;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** A socket that is gone has no address left. */
const GONE = "unknown";

/** Trusts these addresses and networks (`10.0.0.0/8`) and nobody else. */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = "", length] = proxy.split("/");
    if (length === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(length), familyOf(address));
  }
  return {
    find(peer, forwardedFor) {
      const socket = peer === undefined ? GONE : plain(peer);
      if (trustedProxies.length === 0 || forwardedFor === undefined || !trusts(trusted, socket))
        return socket;
      const hops = forwardedFor.split(",").slice(-MAX_HOPS).map(hop);
      // Each proxy adds the address that it saw on the right: the first one that is no proxy is the client.
      let client = socket;
      for (const address of hops.reverse()) {
        if (address === undefined) break;
        client = address;
        if (!trusts(trusted, address)) break;
      }
      return client;
    },
  };
}

function trusts(trusted: BlockList, address: string): boolean {
  return isIP(address) !== 0 && trusted.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** The address of an entry, which some proxies give a port; undefined when there is none in it. */
function hop(entry: string): string | undefined {
  const text = entry.trim();
  const bare = text.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
  return isIP(bare) === 0 ? undefined : plain(bare);
}

/** A socket that takes both families spells IPv4 in IPv6. */
function plain(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address.toLowerCase();
}
