import { expect, it } from "vitest";
import { createBrowserGuard } from "../../emulator/http/server/browser-guard.ts";

const guard = createBrowserGuard({
  allowedHosts: [],
  corsOrigins: ["https://listed.example"],
  consoleToken: "right",
});

function refusal(
  headers: Readonly<Record<string, string>>,
  method = "POST",
  isConsolePage = false,
): string | undefined {
  const rawHeaders = Object.entries(headers).flat();
  const request = { method, headers, rawHeaders, socket: { localAddress: "10.1.2.3" } };
  return guard.refusalOf(request, isConsolePage)?.code;
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

const CROSS_SITE = { host: "127.0.0.1:4700", "sec-fetch-site": "cross-site" };

it.each([
  ["an image of another site", { "sec-fetch-mode": "no-cors" }, "cross_site"],
  ["a link of another site", { "sec-fetch-mode": "navigate" }, "cross_site"],
  ["an image of another site that says so", { referer: "https://evil.example/" }, "cross_site"],
  ["an image of a name like this machine", { referer: "http://localhost.evil.example/" }, "cross_site"],
  ["an image of a page of this machine", { referer: "http://localhost:3000/" }, undefined],
  ["an image of a listed page", { referer: "https://listed.example/" }, undefined],
  ["a script of a listed page", { origin: "https://listed.example" }, undefined],
])("a request across sites from %s", (_, headers, code) => {
  expect(refusal({ ...CROSS_SITE, ...headers }, "GET")).toBe(code);
});

it("the console may be opened from another site, and is not loaded into one", () => {
  expect(refusal({ ...CROSS_SITE, "sec-fetch-mode": "navigate" }, "GET", true)).toBeUndefined();
  expect(refusal({ ...CROSS_SITE, "sec-fetch-mode": "no-cors" }, "GET", true)).toBe("cross_site");
});

it.each(["none", "same-origin", "same-site"])("a request with Sec-Fetch-Site: %s passes", (site) => {
  expect(refusal({ ...CROSS_SITE, "sec-fetch-site": site }, "GET")).toBeUndefined();
});
