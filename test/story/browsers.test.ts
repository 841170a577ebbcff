import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const LOCAL_PAGE = "http://localhost:5173";
const LISTED_PAGE = "https://app.example.com";
const FOREIGN_PAGE = "https://evil.example";

const rig = useRig("file", () => startRig({ allowedHosts: ["proxy.example"], corsOrigins: [LISTED_PAGE] }));

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request with any `Host`, which `fetch` would not send. */
async function send(url: string, { method = "GET", headers = {}, body }: Sent = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (done, fail) => {
      const clientRequest = request(url, { method, headers }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        reply.on("end", () => done({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
      });
      clientRequest.on("error", fail);
      clientRequest.end(body);
    },
  );
}

const PORTS = ["url", "euUrl", "s3Url"] as const;
const PATHS = { url: "/info", euUrl: "/_emulator/v1/status", s3Url: "/traces" } as const;

/** How many turns the world has had: a refused request takes none. */
async function turns(): Promise<number> {
  const journal = await fetch(`${rig.emulator.url}/_emulator/v1/journal`);
  return (await journal.text()).split("\n").length;
}

describe("a name that a foreign site has rebound to this machine (Host)", () => {
  it.each(PORTS)("is refused at %s with a hint, and nothing is counted or recorded", async (port) => {
    const before = await turns();
    const reply = await send(rig.emulator[port] + PATHS[port], {
      headers: { host: "rebound.evil.example:4700" },
    });
    expect(reply.status).toBe(403);
    expect(reply.text).toContain("--allowed-hosts rebound.evil.example");
    expect(await turns()).toBe(before);
  });

  const HIDDEN = [
    ["a second Host header", "", "Host: localhost\r\nHost: evil.example", 400],
    ["a local Host header next to an absolute target", "http://evil.example", "Host: localhost", 403],
    ["an absolute target of another scheme", "ws://evil.example:80", "Host: localhost", 403],
  ] as const;

  it.each(PORTS.flatMap((port) => HIDDEN.map(([title, ...row]) => [title, port, ...row] as const)))(
    "cannot hide behind %s at %s",
    async (_title, port, origin, hosts, status) => {
      const { port: number } = new URL(rig.emulator[port]);
      const text = await new Promise<string>((done, fail) => {
        let received = "";
        const socket = connect(Number(number), "127.0.0.1", () =>
          socket.end(`GET ${origin}${PATHS[port]} HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`),
        );
        socket.setEncoding("utf8").on("data", (chunk) => {
          received += chunk;
        });
        socket.on("error", fail).on("close", () => done(received));
      });
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text).toContain(status === 403 ? "--allowed-hosts evil.example" : "more than once");
    },
  );
});

describe("a page of a foreign site (Origin)", () => {
  const SIMPLE_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"];

  it.each(SIMPLE_TYPES)("changes nothing with a simple request of %s", async (type) => {
    const before = await turns();
    for (const [url, path] of [
      [rig.emulator.url, "/threads"],
      [rig.emulator.url, "/runs/multipart"],
      [rig.emulator.url, "/_emulator/v1/reset"],
      [rig.emulator.url, "/_emulator/v1/clock/advance"],
      [rig.emulator.s3Url, "/traces?delete"],
    ] as const)
      for (const origin of [FOREIGN_PAGE, "null"]) {
        const headers = { origin, "content-type": type };
        const reply = await send(url + path, { method: "POST", headers, body: "{}" });
        expect([path, reply.status, reply.headers["access-control-allow-origin"]]).toEqual([
          path,
          403,
          undefined,
        ]);
      }
    expect(await turns()).toBe(before);
  });

  it("reads nothing, and its preflight is refused", async () => {
    for (const method of ["GET", "OPTIONS"]) {
      const headers = { origin: FOREIGN_PAGE, "access-control-request-method": "POST" };
      const reply = await send(`${rig.emulator.url}/threads`, { method, headers });
      expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
      expect(reply.text).toContain("--cors-origins");
    }
  });
});

describe("a page of this machine or of a listed origin", () => {
  it.each([LOCAL_PAGE, LISTED_PAGE, "http://[::1]:3000", "http://app.localhost"])(
    "reads and writes: %s",
    async (origin) => {
      const headers = { origin, "content-type": "application/json" };
      const reply = await send(`${rig.emulator.url}/threads`, { method: "POST", headers, body: "{}" });
      expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([200, origin]);
      expect(reply.headers.vary).toContain("origin");
    },
  );

  it("that the emulator serves itself under a container's name may call it", async () => {
    const headers = { host: "emulator:4700", origin: "http://emulator:4700" };
    expect((await send(`${rig.emulator.url}/info`, { headers })).status).toBe(200);
    const other = { host: "emulator:4700", origin: "http://other:4700" };
    expect((await send(`${rig.emulator.url}/info`, { headers: other })).status).toBe(403);
  });
});
