import { describe, expect, it } from "vitest";
import { createClientAddresses } from "../../emulator/http/server/client-address.ts";

const TRUSTED = ["10.0.0.0/8", "192.168.1.1", "fd00::/8"];

describe("the address of a client (5-2)", () => {
  it.each([
    ["without a header it is the peer", "203.0.113.9", undefined, "203.0.113.9"],
    ["the headers of a peer that is not a proxy are ignored", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["a proxy names its client", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["what the client itself wrote stands further left", "10.1.2.3", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["proxies in a row", "10.1.2.3", "1.1.1.1, 198.51.100.1, 192.168.1.1,10.9.9.9", "198.51.100.1"],
    ["proxies only", "10.1.2.3", "10.0.0.7, 192.168.1.1", "10.0.0.7"],
    ["a single address is not a network", "192.168.1.2", "198.51.100.1", "192.168.1.2"],
    ["nonsense is not gone behind", "10.1.2.3", "198.51.100.1, unknown, 10.0.0.7", "10.0.0.7"],
    ["nonsense alone leaves the peer", "10.1.2.3", "unknown", "10.1.2.3"],
    ["an empty header leaves the peer", "10.1.2.3", "", "10.1.2.3"],
    ["entries with ports", "10.1.2.3", "198.51.100.1:4711", "198.51.100.1"],
    ["IPv6 in brackets", "fd00::1", "[2001:DB8::7]:443", "2001:db8::7"],
    [
      "IPv4 in IPv6, as sockets of both families say it",
      "::ffff:10.1.2.3",
      "::ffff:198.51.100.1",
      "198.51.100.1",
    ],
    ["a socket that is gone", undefined, "198.51.100.1", "unknown"],
  ])("%s", (_, peer, forwardedFor, client) => {
    expect(createClientAddresses(TRUSTED).find(peer, forwardedFor)).toBe(client);
  });

  it("is always the peer's when no proxy is trusted", () => {
    expect(createClientAddresses([]).find("::ffff:127.0.0.1", "198.51.100.1")).toBe("127.0.0.1");
  });

  it("is found quickly in a header without end", () => {
    const endless = `198.51.100.1${", 10.0.0.1".repeat(100_000)}`;
    expect(createClientAddresses(TRUSTED).find("10.1.2.3", endless)).toBe("10.0.0.1");
  });
});
