/** What kind of local address this is; undefined for one of the public internet, or for a name. */
export function localKind(host: string): string | undefined {
  const text = host
    .replace(/^\[|\]$/g, "")
    .replace(/%.*$/, "")
    .toLowerCase();
  const groups = text.includes(":") ? ipv6Groups(text) : undefined;
  if (text.includes(":")) return groups ? ipv6Kind(groups) : "malformed";
  const bits = ipv4Bits(text);
  return bits === undefined ? undefined : ipv4Kind(bits);
}

/** Whether a host of a URL is an address, IPv6 with or without brackets, and not a name. */
export function isAddress(host: string): boolean {
  return host.startsWith("[") || host.includes(":") || ipv4Bits(host) !== undefined;
}

const IPV4_KINDS: readonly (readonly [network: string, length: number, kind: string])[] = [
  ["0.0.0.0", 8, "unspecified"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.2.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "reserved"],
  ["198.51.100.0", 24, "reserved"],
  ["203.0.113.0", 24, "reserved"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

function ipv4Kind(bits: number): string | undefined {
  return IPV4_KINDS.find(([network, length]) => {
    const size = 2 ** (32 - length);
    return Math.floor(bits / size) === Math.floor((ipv4Bits(network) ?? 0) / size);
  })?.[2];
}

function ipv4Bits(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((bits, part) => bits * 256 + part, 0);
}

/** What an address that begins so is; a number is the group at which the IPv4 address in it stands. */
const IPV6_KINDS: readonly (readonly [network: string, length: number, kind: string | number])[] = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["::ffff:0:0", 96, 6],
  ["::ffff:0:0:0", 96, 6],
  ["::", 96, 6],
  ["64:ff9b::", 96, 6],
  ["64:ff9b:1::", 48, "private"],
  ["2001::", 23, "reserved"],
  ["2001:db8::", 32, "reserved"],
  ["2002::", 16, 1],
  ["3fff::", 20, "reserved"],
  ["fc00::", 7, "private"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private"],
  ["ff00::", 8, "multicast"],
  ["2000::", 3, 0],
];

/** Forms that carry an IPv4 address are judged by it: that is where a packet goes. */
function ipv6Kind(groups: readonly number[]): string | undefined {
  const row = IPV6_KINDS.find(([network, length]) => beginsLike(groups, network, length));
  if (!row) return "reserved";
  const [, , kind] = row;
  if (typeof kind === "string") return kind;
  // Group 0 stands for an address of the public internet: there is no IPv4 address in it.
  return kind === 0 ? undefined : ipv4Kind((groups[kind] ?? 0) * 65_536 + (groups[kind + 1] ?? 0));
}

function beginsLike(groups: readonly number[], network: string, length: number): boolean {
  const wanted = ipv6Groups(network) ?? [];
  return wanted.every((group, at) => {
    const size = 2 ** (16 - Math.min(Math.max(length - at * 16, 0), 16));
    return Math.floor((groups[at] ?? 0) / size) === Math.floor(group / size);
  });
}

function ipv6Groups(text: string): readonly number[] | undefined {
  const dotted = /^(.*:)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text);
  const tail = dotted && ipv4Bits(dotted[2] ?? "");
  if (dotted && tail == null) return undefined;
  const plain =
    dotted && tail != null
      ? `${dotted[1]}${Math.floor(tail / 65_536).toString(16)}:${(tail % 65_536).toString(16)}`
      : text;
  const [left = "", right, ...more] = plain.split("::");
  if (more.length > 0) return undefined;
  const before = groupsIn(left);
  const after = right === undefined ? [] : groupsIn(right);
  const missing = 8 - before.length - after.length;
  const groups = [
    ...before,
    ...Array<number>(right === undefined ? 0 : Math.max(missing, 0)).fill(0),
    ...after,
  ];
  return groups.length === 8 && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
}

function groupsIn(text: string): number[] {
  if (text === "") return [];
  return text.split(":").map((part) => (/^[0-9a-f]{1,4}$/.test(part) ? Number.parseInt(part, 16) : -1));
}
