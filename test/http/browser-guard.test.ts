import { expect, it } from "vitest";
import { createBrowserGuard } from "../../emulator/http/server/browser-guard.ts";

const guard = createBrowserGuard({
  allowedHosts: ["proxy.example"],
  corsOrigins: ["https://listed.example"],
  consoleToken: "right",
});

function refusal(
  headers: Readonly<Record<string, string>>,
  call = "POST /threads",
  server?: Parameters<typeof guard.refusalOf>[1],
): string | undefined {
  return guard.refusalOf(requestOf(headers, call), server)?.code;
}

function requestOf(headers: Readonly<Record<string, string>>, call: string) {
  const rawHeaders = Object.entries(headers).flat();
  const [method = "", url = ""] = call.split(" ");
  return { method, url, headers, rawHeaders, socket: { localAddress: "10.1.2.3" } };
}

it.each([
  ["the address at which it came in", { host: "10.1.2.3:4700" }, undefined],
  ["another address", { host: "10.1.2.4:4700" }, "foreign_host"],
  ["no host", {}, "foreign_host"],
  ["an empty host", { host: "" }, "foreign_host"],
  ["a port alone", { host: ":4700" }, "foreign_host"],
])("a request to %s", (_, headers, code) => {
  expect(refusal(headers)).toBe(code);
});

it.each([
  [
    undefined,
    "localhost:1 bucket.localhost 127.0.0.1 127.9.9.9 [::1]:80 emulator host.docker.internal:4700 PROXY.example",
  ],
  ["foreign_host", "10.0.0.1 [fe80::1] localhost.evil.example evil.example 127.0.0.1.evil.example"],
])("a request is answered with %s to each of the hosts %s", (code, hosts) => {
  for (const host of hosts.split(" ")) expect(refusal({ host }), host).toBe(code);
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
  ["a site with a name of this machine in its own", "https://localhost.evil.example", {}, "foreign_origin"],
  [
    "a site with an address of this machine in its name",
    "http://127.0.0.1.evil.example",
    {},
    "foreign_origin",
  ],
  ["an origin without a scheme", "localhost", {}, "foreign_origin"],
  ["a file", "file://localhost", {}, "foreign_origin"],
])("a write of %s", (_, origin, headers, code) => {
  expect(refusal({ host: "10.1.2.3:4700", origin, ...headers })).toBe(code);
});

it("the console's page may read without the token", () => {
  expect(refusal({ host: "10.1.2.3:4700", origin: "http://10.1.2.3:4700" }, "GET /threads")).toBeUndefined();
});

const LOCAL_PAGE = { host: "127.0.0.1:4700", origin: "http://localhost:3000" };
const RESET = "POST /_emulator/v1/reset";

it.each([
  ["a form", RESET, "application/x-www-form-urlencoded", "simple_write"],
  ["a form with a file", RESET, "Multipart/Form-Data; boundary=x", "simple_write"],
  ["a text", "POST /w/fork/_emulator/v1/reset", "text/plain;charset=UTF-8", "simple_write"],
  ["nothing", RESET, "", "simple_write"],
  ["JSON, which needs a preflight,", RESET, "application/json", undefined],
  [
    "a request to remove a world, which needs a preflight,",
    "DELETE /_emulator/v1/worlds/fork",
    "",
    undefined,
  ],
  ["a text to the API", "POST /threads", "text/plain", undefined],
])("%s is sent by another page of this machine", (_, call, type, code) => {
  expect(refusal({ ...LOCAL_PAGE, "content-type": type }, call)).toBe(code);
  const own = { ...LOCAL_PAGE, origin: "http://127.0.0.1:4700", "content-type": type };
  expect(createBrowserGuard({ allowedHosts: [], corsOrigins: [] }).refusalOf(requestOf(own, call))).toBe(
    undefined,
  );
});

const CROSS_SITE = { host: "127.0.0.1:4700", "sec-fetch-site": "cross-site" };
const SAME_SITE = { ...CROSS_SITE, "sec-fetch-site": "same-site" };
const READ = "GET /_emulator/v1/status";

it.each([
  ["an image of another site", { "sec-fetch-mode": "no-cors" }, READ, "cross_site"],
  ["a link of another site", { "sec-fetch-mode": "navigate" }, READ, "cross_site"],
  ["an image of another site that says so", { referer: "https://evil.example/" }, READ, "cross_site"],
  ["an image of a name like this machine", { referer: "http://localhost.evil.example/" }, READ, "cross_site"],
  ["an image of a page of this machine", { referer: "http://localhost:3000/" }, READ, undefined],
  [
    "an image of a page of this machine that becomes a turn",
    { referer: "http://localhost:3000/" },
    "GET /info",
    "cross_site",
  ],
  ["a write without Origin", { referer: "http://localhost:3000/" }, RESET, "cross_site"],
  ["an image of a listed page", { referer: "https://listed.example/" }, "GET /info", undefined],
  ["a script of a listed page", { origin: "https://listed.example" }, "GET /info", undefined],
])("a request across sites from %s", (_, headers, call, code) => {
  expect(refusal({ ...CROSS_SITE, ...headers }, call)).toBe(code);
});

it("an object may be an image of a page of this machine, and not of another", () => {
  const call = "GET /traces/picture";
  expect(refusal({ ...CROSS_SITE, referer: "http://localhost:3000/" }, call, "objects")).toBeUndefined();
  expect(refusal(SAME_SITE, call, "objects")).toBeUndefined();
  expect(refusal(CROSS_SITE, call, "objects")).toBe("cross_site");
});

it("the console may be opened from another site, and is not loaded into one", () => {
  const page = "GET /_emulator/console/";
  expect(refusal({ ...CROSS_SITE, "sec-fetch-mode": "navigate" }, page, "console")).toBeUndefined();
  expect(refusal({ ...CROSS_SITE, "sec-fetch-mode": "no-cors" }, page, "console")).toBe("cross_site");
});

it.each(["none", "same-origin"])("a request with Sec-Fetch-Site: %s passes", (site) => {
  expect(refusal({ ...CROSS_SITE, "sec-fetch-site": site }, "GET /info")).toBeUndefined();
});

it("a page of the same site may read the control API without Origin, and nothing that becomes a turn", () => {
  expect(refusal(SAME_SITE, READ)).toBeUndefined();
  expect(refusal(SAME_SITE, "GET /info")).toBe("cross_site");
});
