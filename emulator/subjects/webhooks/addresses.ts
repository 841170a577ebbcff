import ipaddr from "ipaddr.js";
import { lazily } from "../../kernel/lazily.ts";

type Ipv4 = ipaddr.IPv4;
type Ipv6 = ipaddr.IPv6;

/** The kind of a non-public address; undefined for a public address or a host name. */
export function localKind(host: string): string | undefined {
  const text = host.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (!text.includes(":")) return isIpv4(text) ? ipv4Kind(ipaddr.IPv4.parse(text)) : undefined;
  // Normalised by the URL parser: ipaddr.js does not accept a dotted IPv4 suffix after every prefix.
  const url = `http://[${text}]`;
  return URL.canParse(url) ? ipv6Kind(ipaddr.IPv6.parse(new URL(url).hostname.slice(1, -1))) : "malformed";
}

/** Whether a host of a URL is an address, IPv6 with or without brackets, and not a name. */
export function isAddress(host: string): boolean {
  return host.startsWith("[") || host.includes(":") || isIpv4(host);
}

function isIpv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

const PUBLIC = "public";

const ipv4Kinds = rangesOf((network) => ipaddr.IPv4.parseCIDR(network), {
  unspecified: ["0.0.0.0/8"],
  private: ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"],
  loopback: ["127.0.0.0/8"],
  "link-local": ["169.254.0.0/16"],
  multicast: ["224.0.0.0/4"],
  reserved: [
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
  ],
});

function ipv4Kind(address: Ipv4): string | undefined {
  const kind = ipaddr.subnetMatch(address, ipv4Kinds(), PUBLIC);
  return kind === PUBLIC ? undefined : kind;
}

/** Checked in order: the first range that contains an address decides. */
const ipv6Kinds = rangesOf((network) => ipaddr.IPv6.parseCIDR(network), {
  unspecified: ["::/128"],
  loopback: ["::1/128"],
  "ipv4 at the end": ["::ffff:0:0/96", "::ffff:0:0:0/96", "::/96", "64:ff9b::/96"],
  "ipv4 behind the first group": ["2002::/16"],
  private: ["64:ff9b:1::/48", "fc00::/7", "fec0::/10"],
  reserved: ["2001::/23", "2001:db8::/32", "3fff::/20"],
  "link-local": ["fe80::/10"],
  multicast: ["ff00::/8"],
  [PUBLIC]: ["2000::/3"],
});

/** Byte offset of the embedded IPv4 address in an IPv6 address of this kind. */
const IPV4_AT: Readonly<Record<string, number>> = { "ipv4 at the end": 12, "ipv4 behind the first group": 2 };

/** The kind of an IPv6 address; with an embedded IPv4 address, the kind of that, since packets go there. */
function ipv6Kind(address: Ipv6): string | undefined {
  const kind = ipaddr.subnetMatch(address, ipv6Kinds(), "reserved");
  const at = IPV4_AT[kind];
  if (at !== undefined) return ipv4Kind(new ipaddr.IPv4(address.toByteArray().slice(at, at + 4)));
  return kind === PUBLIC ? undefined : kind;
}

function rangesOf<Range>(
  parse: (network: string) => Range,
  networks: Readonly<Record<string, readonly string[]>>,
): () => Record<string, Range[]> {
  return lazily(() =>
    Object.fromEntries(Object.entries(networks).map(([kind, list]) => [kind, list.map(parse)])),
  );
}
