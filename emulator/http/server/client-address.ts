import { BlockList, isIP } from "node:net";

/** Finds the address of the client behind trusted proxies. */
export type ClientAddresses = ReturnType<typeof createClientAddresses>;

/** Maximum number of proxies in a row; only the last ones of a longer list are read. */
const MAX_HOPS = 20;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Address of a closed socket. */
const GONE = "unknown";

/** Trusts only these addresses and networks (`10.0.0.0/8`). */
export function createClientAddresses(trustedProxies: readonly string[]) {
  const trusted = trustedProxies.length === 0 ? undefined : blockListOf(trustedProxies);
  return {
    find(peer: string | undefined, forwardedFor: string | undefined): string {
      const socket = peer?.startsWith("::") ? plain(peer) : (peer ?? GONE);
      if (trusted === undefined || forwardedFor === undefined || !trusts(trusted, socket)) return socket;
      const hops = forwardedFor.split(",").slice(-MAX_HOPS).map(hop);
      // Each proxy appends its peer's address: from the right, the first untrusted address is the client.
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

function blockListOf(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = "", length] = proxy.split("/");
    if (length === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(length), familyOf(address));
  }
  return list;
}

function trusts(trusted: BlockList, address: string): boolean {
  return isIP(address) !== 0 && trusted.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** The address in an entry, without a port; undefined if invalid. */
function hop(entry: string): string | undefined {
  const text = entry.trim();
  const bare = text.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
  return isIP(bare) === 0 ? undefined : plain(bare);
}

/** Converts IPv4-mapped IPv6 addresses of dual-stack sockets to IPv4. */
function plain(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address.toLowerCase();
}
