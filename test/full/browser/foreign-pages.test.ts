import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRig } from "../../support/emulator.ts";
import { useRig } from "../../support/use-rig.ts";
import { documentAt, hasChromium, visit } from "./chromium.ts";

const PORTS = ["url", "euUrl", "s3Url"] as const;
const REFUSED = "not accepted at the host";

const rig = useRig("file", () => startRig({}));
let pages: Server;
let report: (text: string) => void;

/** Calls the emulator in every way that needs no preflight, and in one that does, and reports what it learned. */
const SCRIPT = (url: string, s3Url: string) => `<!doctype html><body>
<iframe name="sink"></iframe><form id="form" method="post" target="sink" enctype="text/plain" action="${url}/threads"><input name="{}"></form>
<img src="${url}/threads/image"><script src="${url}/ok"></script><img src="${s3Url}/traces/x">
<script>
window.open("${url}/info");
const results = [];
const attempt = async (name, ask) => {
  try { const reply = await ask(); results.push(name + " " + reply.type + " " + reply.status); }
  catch (error) { results.push(name + " " + error.name); }
};
(async () => {
  document.getElementById("form").submit();
  const body = "{}";
  await attempt("simple", () => fetch("${url}/threads", { method: "POST", mode: "no-cors", body }));
  await attempt("control", () => fetch("${url}/_emulator/v1/reset", { method: "POST", mode: "no-cors", body }));
  await attempt("bucket", () => fetch("${s3Url}/traces?delete", { method: "POST", mode: "no-cors", body }));
  await attempt("read", () => fetch("${url}/info"));
  await attempt("json", () => fetch("${url}/threads", { method: "POST", headers: { "content-type": "application/json" }, body }));
  await fetch("/seen", { method: "POST", body: results.join(", ") });
})();
</script></body>`;

beforeAll(async () => {
  pages = createServer(async (request, response) => {
    if (request.method === "POST") report(await text(request));
    response.setHeader("content-type", "text/html").end(SCRIPT(rig.emulator.url, rig.emulator.s3Url));
  });
  await new Promise<void>((done) => pages.listen(0, "127.0.0.1", done));
});

afterAll(async () => {
  pages.close();
});

const pageAt = (host: string) => `http://${host}:${(pages.address() as AddressInfo).port}/`;
const seenBy = (host: string) =>
  visit(
    pageAt(host),
    new Promise<string>((resolve) => {
      report = resolve;
    }),
  );
/** How many turns and recorded requests the world has had: a refused request is neither. */
async function turns(): Promise<number> {
  const lines = ["journal", "recording"].map(async (name) => {
    const reply = await fetch(`${rig.emulator.url}/_emulator/v1/${name}`);
    return (await reply.text()).split("\n").length;
  });
  return (await Promise.all(lines)).reduce((sum, count) => sum + count);
}

describe.skipIf(!hasChromium)("a page in Chromium", () => {
  it("of a foreign site neither reads nor changes anything", async () => {
    const before = await turns();
    expect(await seenBy("evil.test")).toBe(
      "simple opaque 0, control opaque 0, bucket opaque 0, read TypeError, json TypeError",
    );
    expect(await turns()).toBe(before);
  });

  it("of this machine reads and writes, and does not reset", async () => {
    await rig.emulator.control("POST", "/s3/buckets", { name: "first" });
    const before = await turns();
    expect(await seenBy("localhost")).toContain("read cors 200, json cors 200");
    expect(await turns()).toBeGreaterThan(before);
    // The reset and the image, which need no preflight, were refused.
    const lines = await rig.emulator.control<readonly { path?: string }[]>("GET", "/recording");
    const paths = lines.flatMap(({ path }) => path ?? []);
    expect(new Set(paths)).toEqual(new Set(["/_emulator/v1/s3/buckets", "/threads"]));
  });

  it.each(PORTS)("at a name that was rebound to this machine is refused at %s", async (port) => {
    const { port: number } = new URL(rig.emulator[port]);
    expect(await documentAt(`http://rebound.test:${number}/info`)).toContain(REFUSED);
  });
});

it.each(PORTS)(
  "what a browser sends at a name that was rebound to this machine is refused at %s",
  async (port) => {
    const clientRequest = request(`${rig.emulator[port]}/info`, { headers: { host: "rebound.test" } }).end();
    const [reply] = (await once(clientRequest, "response")) as [IncomingMessage];
    expect(await text(reply)).toContain(REFUSED);
  },
);
