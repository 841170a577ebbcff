import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { start, workingFolder } from "../support/emulator-process.ts";
import { useRig } from "../support/use-rig.ts";

const BUILT = fileURLToPath(new URL("../../dist/console", import.meta.url));
const PAGE = "/_emulator/console/";
const MAX_BYTES = 60 * 1024;

const rig = useRig("file", () => startRig());

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  readonly text: string;
}

/** Without following redirects, and with headers that `fetch` does not let through. */
function get(url: string, headers: Record<string, string> = {}) {
  return new Promise<Reply>((settle, fail) => {
    request(url, { headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk) => chunks.push(chunk));
      reply.on("end", () => {
        const body = Buffer.concat(chunks);
        settle({ status: reply.statusCode ?? 0, headers: reply.headers, body, text: body.toString() });
      });
    })
      .on("error", fail)
      .end();
  });
}

describe("the files of the console", () => {
  it.each(["gzip", "br"])("have at most 60 kB in all on the wire, as %s", async (encoding) => {
    let sum = 0;
    for (const name of ["", "icon.svg", "console.js", "style.css"]) {
      const reply = await get(rig.emulator.url + PAGE + name, { "accept-encoding": `deflate, ${encoding}` });
      expect(reply.status).toBe(200);
      sum += reply.body.length;
      if (!/js|css/.test(name)) continue;
      expect(reply.headers).toMatchObject({ "content-encoding": encoding, vary: "accept-encoding" });
      const plain = await get(rig.emulator.url + PAGE + name);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      const decompressed = encoding === "br" ? brotliDecompressSync(reply.body) : gunzipSync(reply.body);
      expect(decompressed.equals(plain.body)).toBe(true);
      if (encoding === "gzip") continue;
      const since = String(reply.headers["last-modified"]);
      const again = await get(rig.emulator.url + PAGE + name, {
        "accept-encoding": encoding,
        "if-modified-since": since,
      });
      expect(again.status).toBe(304);
    }
    expect(sum).toBeLessThanOrEqual(MAX_BYTES);
  });

  it("name no other host and hold no inline code or style", () => {
    const html = readFileSync(join(BUILT, "index.html"), "utf8");
    expect(html).not.toMatch(/https?:|<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it.each(["url", "euUrl"] as const)("are served at %s with a strict policy", async (origin) => {
    const page = await get(rig.emulator[origin] + PAGE);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    });
    const policy = String(page.headers["content-security-policy"]).split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join()).not.toContain("unsafe");
    const script = await get(`${rig.emulator[origin]}${PAGE}console.js`);
    expect([script.status, script.headers["content-type"]]).toEqual([200, "text/javascript; charset=utf-8"]);
  });

  it("are served below the base path of a world, and nothing above them is", async () => {
    const { status } = await get(`${rig.emulator.url}/w/side${PAGE}`);
    expect(status).toBe(200);
    for (const path of [`${PAGE}../../package.json`, `${PAGE}%2e%2e/bin/emulator.js`, `${PAGE}nothing.js`])
      expect((await get(rig.emulator.url + path)).status).toBeGreaterThanOrEqual(400);
  });

  it("are not served at the name of another site", async () => {
    const { status, text } = await get(rig.emulator.url + PAGE, { host: "evil.example" });
    expect([status, text]).toEqual([403, expect.stringContaining("foreign_host")]);
  });
});

describe("GET /", () => {
  it("leads a browser to the console, and changes nothing for clients", async () => {
    const browser = await get(`${rig.emulator.url}/`, {
      accept: "text/html,application/xhtml+xml,*/*;q=0.8",
    });
    expect([browser.status, browser.headers.location]).toEqual([303, PAGE]);
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
      const client = await get(`${rig.emulator.url}/`, { accept });
      expect([client.status, client.text]).toEqual([404, expect.stringContaining("is not emulated")]);
    }
  });
});

describe("an emulator that other machines reach", () => {
  it("takes writes of the console only with the token that the start has printed", async () => {
    const { ready } = await start(["--host", "0.0.0.0"], { cwd: workingFolder() });
    const { url, console_url = "" } = ready as typeof ready & { readonly console_url?: string };
    const token = /#token=([0-9a-f]{32})$/.exec(console_url)?.[1] ?? "";
    expect(token).not.toBe("");
    const { origin } = new URL(url);
    const freeze = async (headers: Record<string, string>) => {
      const reply = await fetch(`${url}/_emulator/v1/clock/freeze`, { method: "POST", headers, body: "{}" });
      return [reply.status, await reply.text()];
    };
    expect(await freeze({ origin })).toEqual([403, expect.stringContaining("console_read_only")]);
    expect((await freeze({ origin, "x-emulator-console-token": "0".repeat(32) }))[0]).toBe(403);
    expect((await freeze({ origin, "x-emulator-console-token": token }))[0]).toBe(200);
    expect((await freeze({}))[0]).toBe(200);
    const status = await fetch(`${url}/_emulator/v1/status`, { headers: { origin } });
    const output = await status.text();
    expect(output).toContain('"console_needs_token":true');
    expect(output).not.toContain(token);
  });
});
