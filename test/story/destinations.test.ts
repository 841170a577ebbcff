// own process: replaces the environment.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { DESTINATION, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () => startRig({ timings: { object_store_timeout: "PT1S" } }));

beforeEach(() => rig.emulator.reset());

const create = (change: Record<string, unknown> = {}) =>
  rig.call<{ id: string; detail: string }>("POST", "/api/v1/bulk-exports/destinations", {
    ...DESTINATION,
    ...change,
  });
const config = (change: Record<string, unknown>) => ({ config: { ...DESTINATION.config, ...change } });
const list = async () => (await rig.call<unknown[]>("GET", "/api/v1/bulk-exports/destinations")).body;
const allow = (...deny: string[]) =>
  rig.emulator.control<unknown>("PATCH", "/s3/credentials/emulator", { deny });
const objectCount = async () =>
  (await rig.emulator.control<{ objects?: number; name: string }[]>("GET", "/s3/buckets"))[0]?.objects;

describe("a destination (§2.4)", () => {
  it("is answered without its secrets, which are nowhere in clear", async () => {
    const { status, body } = await create();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      destination_type: "s3",
      credentials_keys: ["access_key_id", "secret_access_key"],
    });
    expect(body).not.toHaveProperty("credentials");
    const { config: view } = body as { config?: object };
    expect(view).toEqual({ ...DESTINATION.config, endpoint_url: null, include_bucket_in_prefix: false });
    const views = await Promise.all([
      fetch(`${rig.emulator.url}/_emulator/v1/journal`).then((reply) => reply.text()),
      fetch(`${rig.emulator.url}/_emulator/v1/config`).then((reply) => reply.text()),
      list().then((value) => JSON.stringify(value)),
    ]);
    for (const text of views) expect(text).not.toContain("emulator-secret");
  });

  it("writes a test file and deletes it", async () => {
    await create();
    const journal = await fetch(`${rig.emulator.url}/_emulator/v1/journal`).then((reply) => reply.text());
    expect(journal).toContain('"kind":"destination.validated"');
    expect(journal).toContain("traces/tmp/");
    expect(await objectCount()).toBe(0);
  });

  it("keeps the test file under tmp/ when it may not delete (§2.4-6)", async () => {
    await allow("delete");
    expect((await create()).status).toBe(200);
    expect(await objectCount()).toBe(1);
  });
});

describe("the named errors have their real causes (§7.2)", () => {
  const expectRefusal = async (change: Record<string, unknown>, name: string) => {
    const { status, header, body } = await create(change);
    expect({ status, requirement: header("x-emulator-requirement"), detail: body.detail }).toEqual({
      status: 400,
      requirement: expect.stringMatching(/^7\.2-\d$/),
      detail: expect.stringContaining(`Failed to validate S3 destination: ${name}`),
    });
    expect(await list()).toEqual([]);
  };
  const keys = (access_key_id: string, secret_access_key: string) => ({
    credentials: { access_key_id, secret_access_key },
  });

  it("Access denied: a key that may not put", async () => {
    await allow("put");
    await expectRefusal({}, "Access denied");
  });

  it("Access denied: a wrong secret", () => expectRefusal(keys("emulator", "guess"), "Access denied"));
  it("Key ID you provided does not exist", () =>
    expectRefusal(keys("stranger", "x"), "Key ID you provided does not exist"));
  it("Bucket is not valid: no such bucket", () =>
    expectRefusal(config({ bucket_name: "elsewhere" }), "Bucket is not valid"));

  it("Invalid endpoint: nothing listens there", async () => {
    await expectRefusal(config({ endpoint_url: "http://127.0.0.1:9" }), "Invalid endpoint");
  });

  describe("Invalid endpoint: the server is not an object store", () => {
    const servers: Server[] = [];
    const serve = async (answer: ((reply: import("node:http").ServerResponse) => void) | undefined) => {
      const server = createServer((_request, reply) => answer?.(reply));
      servers.push(server);
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      return config({ endpoint_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    };
    afterAll(() => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    });

    it("an HTML page", async () => {
      const page = (reply: import("node:http").ServerResponse) =>
        reply.setHeader("content-type", "text/html").end("<html>hello</html>");
      await expectRefusal(await serve((reply) => void page(reply)), "Invalid endpoint");
    });
    it("a page that is not found", async () => {
      await expectRefusal(
        await serve((reply) => void reply.writeHead(404).end("<html>nothing here</html>")),
        "Invalid endpoint",
      );
    });
    it("silence", async () => expectRefusal(await serve(undefined), "Invalid endpoint"));
  });
});

describe("requests that are refused before a file is written", () => {
  it.each([
    ["no region and no endpoint", config({ region: undefined }), "config.region"],
    ["no credentials on a hosted deployment", { credentials: undefined }, "credentials"],
    ["another type", { destination_type: "gcs" }, "destination_type"],
    ["no bucket", config({ bucket_name: undefined }), "bucket_name"],
    ["no prefix", config({ prefix: undefined }), "prefix"],
    ["no name", { display_name: undefined }, "display_name"],
    ["half of the credentials", { credentials: { access_key_id: "emulator" } }, "secret_access_key"],
  ])("%s", async (_what, change, field) => {
    const { status, body } = await create(change);
    expect(status).toBe(422);
    expect(body.detail).toContain(field);
    expect(await objectCount()).toBe(0);
  });
});

describe("a self-hosted deployment (§2.4-4)", () => {
  it("uses credentials of the environment when the key is missing", async () => {
    const hosted = { ...process.env };
    const own = await startRig({ deployment: "self-hosted" });
    const older = await startRig({ deployment: "self-hosted", serviceVersion: "0.10.33" });
    try {
      process.env.AWS_ACCESS_KEY_ID = "emulator";
      process.env.AWS_SECRET_ACCESS_KEY = "emulator-secret";
      const { credentials: _, ...rest } = DESTINATION;
      const reply = await own.call("POST", "/api/v1/bulk-exports/destinations", rest);
      expect(reply).toMatchObject({ status: 200, body: { credentials_keys: [] } });
      process.env.AWS_SESSION_TOKEN = "token";
      expect(await older.call("POST", "/api/v1/bulk-exports/destinations", rest)).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining("needs service version 0.10.34 or later") },
      });
      delete process.env.AWS_SESSION_TOKEN;
      expect((await older.call("POST", "/api/v1/bulk-exports/destinations", rest)).status).toBe(200);
      process.env.AWS_SECRET_ACCESS_KEY = "wrong";
      expect((await own.call("POST", "/api/v1/bulk-exports/destinations", rest)).status).toBe(400);
    } finally {
      process.env = hosted;
      await own.close();
      await older.close();
    }
  });
});
