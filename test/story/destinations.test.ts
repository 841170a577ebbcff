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
