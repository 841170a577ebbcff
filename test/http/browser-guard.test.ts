import { expect, it } from "vitest";
import { createBrowserGuard } from "../../emulator/http/server/browser-guard.ts";

const guard = createBrowserGuard({
  allowedHosts: [],
  corsOrigins: ["https://listed.example"],
  consoleToken: "right",
});

function refusal(headers: Readonly<Record<string, string>>, method = "POST"): string | undefined {
  const rawHeaders = Object.entries(headers).flat();
  return guard.refusalOf({ method, headers, rawHeaders, socket: { localAddress: "10.1.2.3" } })?.code;
}

it.each([
  ["the address at which it came in", { host: "10.1.2.3:4700" }, undefined],
  ["another address", { host: "10.1.2.4:4700" }, "foreign_host"],
  ["no host", {}, "foreign_host"],
  ["an empty host", { host: "" }, "foreign_host"],
  ["a port alone", { host: ":4700" }, "foreign_host"],
  ["a name of a container network", { host: "emulator:4700" }, undefined],
])("a request to %s", (_, headers, code) => {
  expect(refusal(headers)).toBe(code);
});

it.each([
  ["the console's page, without the token", "http://10.1.2.3:4700", {}, "console_read_only"],
  [
    "the console's page, with another token",
    "http://10.1.2.3:4700",
    { "x-emulator-console-token": "wrong" },
    "console_read_only",
  ],
  [
    "the console's page, with the token",
    "http://10.1.2.3:4700",
    { "x-emulator-console-token": "right" },
    undefined,
  ],
  ["a page of this machine", "http://localhost:3000", {}, undefined],
  ["a listed page", "https://listed.example", {}, undefined],
  ["a page at another port of the address", "http://10.1.2.3:4701", {}, "foreign_origin"],
])("a write of %s", (_, origin, headers, code) => {
  expect(refusal({ host: "10.1.2.3:4700", origin, ...headers })).toBe(code);
});

it("the console's page may read without the token", () => {
  expect(refusal({ host: "10.1.2.3:4700", origin: "http://10.1.2.3:4700" }, "GET")).toBeUndefined();
});
