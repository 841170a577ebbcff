import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import S3rver from "s3rver";
import { afterAll, describe, test } from "vitest";
import { createObjectStoreClients } from "../../emulator/s3/client/object-store-clients.ts";
import type {
  ObjectStoreClient,
  ObjectStoreCredentials,
} from "../../emulator/subjects/destinations/object-store-client.ts";
import { changeCredential, createCredential } from "../../emulator/subjects/object-storage/credentials.ts";
import type { S3Fault } from "../../emulator/subjects/object-storage/faults.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { openTestServer } from "./harness.ts";

const MIB = 1024 * 1024;
const KEY: ObjectStoreCredentials = {
  accessKeyId: "door",
  secretAccessKey: "door-secret",
  sessionToken: null,
};
const bytes = Buffer.from("some bytes");

describe("the client of an object store elsewhere", () => {
  const objectStores = createObjectStoreClients({
    timeoutMs: 5000,
    objectBytes: 100 * MIB,
    partBytes: 5 * MIB,
  });
  const impatient = createObjectStoreClients({ timeoutMs: 150, objectBytes: MIB });
  const servers: Server[] = [];
  afterAll(() => {
    objectStores.close();
    impatient.close();
    for (const server of servers) server.close().closeAllConnections();
  });

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function answering(status: number, body = "", headers = {}): Promise<string> {
    return serve((request, response) => {
      request.resume();
      response.writeHead(status, headers).end(body);
    });
  }

  async function nothingListening(): Promise<string> {
    const url = await serve(() => undefined);
    await new Promise((resolve) => (servers.pop() as Server).close(resolve));
    return url;
  }

  function open(
    endpointUrl: string,
    credentials: ObjectStoreCredentials,
    bucket = "exports",
    from = objectStores,
  ): ObjectStoreClient {
    return from.open({ bucket, region: null, endpointUrl }, credentials);
  }

  async function failureOf(client: ObjectStoreClient): Promise<string> {
    const put = await client.put("tmp/test", bytes);
    return "failure" in put ? put.failure : "stored";
  }

  test("works with a store that is not ours", async ({ expect }) => {
    const directory = workingFolder();
    const s3rver = new S3rver({
      address: "127.0.0.1",
      port: 0,
      silent: true,
      directory,
      configureBuckets: [{ name: "exports", configs: [] }],
    });
    const { port } = await s3rver.run();
    const key = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER", sessionToken: null };
    const client = open(`http://127.0.0.1:${port}`, key);
    const name = "p/export_id=1/day=01/part-00000.parquet";
    expect(await client.put(name, bytes)).toEqual({ stored: true });
    expect(await client.size(name)).toEqual({ size: 10 });
    const got = await client.get(name);
    expect("bytes" in got && Buffer.from(got.bytes).toString()).toBe("some bytes");
    const large = Buffer.alloc(6 * MIB, 5);
    expect(await client.put("p/large.bin", large)).toEqual({ stored: true });
    expect(await client.size("p/large.bin")).toEqual({ size: large.length });
    expect(await client.list("p/")).toEqual({ keys: [name, "p/large.bin"] });
    expect(await client.delete(name)).toEqual({ deleted: true });
    expect(await client.list("p/")).toEqual({ keys: ["p/large.bin"] });
    expect(await failureOf(open(`http://127.0.0.1:${port}`, { ...key, accessKeyId: "x" }))).toBe(
      "key_id_does_not_exist",
    );
    expect(await failureOf(open(`http://127.0.0.1:${port}`, key, "nothing"))).toBe("bucket_not_valid");
    await s3rver.close();
  });

  test("gives our own server's troubles the names that a turn which stores a file gives them", async ({
    expect,
  }) => {
    let fault: S3Fault | undefined;
    const own = await openTestServer({ triggerFault: () => fault });
    own.control((turn) =>
      createCredential(turn, { access_key_id: "door", secret_access_key: "door-secret" }),
    );
    const failure = (more: Partial<ObjectStoreCredentials> = {}, bucket = "traces") =>
      failureOf(open(own.url, { ...KEY, ...more }, bucket));
    expect(await failure()).toBe("stored");
    expect(await failure({ secretAccessKey: "wrong" })).toBe("access_denied");
    expect(await failure({ sessionToken: "wrong" })).toBe("access_denied");
    expect(await failure({ accessKeyId: "nobody" })).toBe("key_id_does_not_exist");
    expect(await failure({}, "no-bucket")).toBe("bucket_not_valid");
    const client = open(own.url, KEY, "traces");
    expect(await client.size("missing")).toMatchObject({ failure: "refused", code: "NoSuchKey" });
    own.control((turn) => changeCredential(turn, "door", { deny: ["get"] }));
    expect(await client.size("tmp/test")).toMatchObject({ failure: "access_denied" });
    for (const s3_error of ["SlowDown", "InternalError", "ServiceUnavailable"] as const) {
      fault = { s3_error };
      expect(await failure()).toBe("unavailable");
    }
    for (const s3_error of ["EntityTooLarge", "InvalidRequest", "PreconditionFailed"] as const) {
      fault = { s3_error };
      expect(await client.put("tmp/test", bytes)).toMatchObject({ failure: "refused", code: s3_error });
    }
    fault = { s3_error: "PermanentRedirect" };
    expect(await failure()).toBe("bucket_not_valid");
    await own.close();
  });

  test("a server without S3 is an invalid endpoint", async ({ expect }) => {
    const page = "<!DOCTYPE html><html><body>Welcome</body></html>";
    const html = (status: number) => answering(status, page, { "content-type": "text/html", etag: 'W/"1"' });
    const silent = await answering(200);
    for (const url of [
      ...(await Promise.all([200, 403, 404, 405].map(html))),
      await answering(404, '{"message":"Not Found"}', { "content-type": "application/json" }),
      await answering(404),
      silent,
    ])
      expect([url, await failureOf(open(url, KEY))]).toEqual([url, "invalid_endpoint"]);
    expect(await open(await html(200), KEY).list("")).toMatchObject({ failure: "invalid_endpoint" });
    expect(await open(silent, KEY).list("")).toMatchObject({ failure: "invalid_endpoint" });
    expect(await failureOf(open(await html(502), KEY))).toBe("unavailable");
  });

  test("nothing listening, no such host, no TLS, no address at all", async ({ expect }) => {
    const list = await open(await nothingListening(), KEY).list("");
    expect(list).toMatchObject({ failure: "unavailable", code: "ConnectionFailed" });
    const plain = await serve((_request, response) => response.end());
    expect(await failureOf(open(plain.replace("http:", "https:"), KEY))).toBe("invalid_endpoint");
    expect(await failureOf(open("no address", KEY))).toBe("invalid_endpoint");
    // An empty address must not become the one of AWS: there the name would not be found, or the keys be sent.
    expect(await open("", KEY).put("x", new Uint8Array(1))).toMatchObject({
      message: "endpoint_url is empty.",
    });
  });

  test("what failed is said in words that tell where to look, and none of them are the SDK's", async ({
    expect,
  }) => {
    const reply = async (url: string, clients = objectStores) => {
      const result = await open(url, KEY, "exports", clients).put("tmp/test", bytes);
      return "message" in result ? result.message : "stored";
    };
    const answeringXml = (status: number, body: string) =>
      answering(status, body, { "content-type": "application/xml" });
    const plain = await serve((_request, response) => response.end());
    const broken = await serve((request) => request.socket.destroy());
    const error = (code: string, message: string) =>
      `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
    expect(await reply(await nothingListening())).toBe("nothing listens at that address");
    expect(await reply(await serve(() => undefined), impatient)).toBe("it did not answer in time");
    expect(await reply(broken)).toBe("it closed the connection");
    expect(await reply(plain.replace("http:", "https:"))).toBe("it does not speak TLS: check http or https");
    expect(await reply("http://no-such-host.invalid")).toMatch(
      /^its host name (is unknown|could not be looked up)$/,
    );
    expect(await reply("no address")).toBe("it is not a URL");
    expect(await reply(await answeringXml(404, "no XML"))).toBe(
      "it answered 404 without an error code of S3",
    );
    const garbled = open(await answeringXml(200, "<ListBucketResult><Na"), KEY);
    expect(await garbled.list("")).toMatchObject({ message: "it answered 200, but not as an S3 server" });
    expect(await reply(await answeringXml(403, ""))).toBe("it answered 403 without an error code of S3");
    const deniedUrl = await answeringXml(403, error("AccessDenied", "Not yours."));
    expect(await reply(deniedUrl)).toBe("it answered 403 AccessDenied: Not yours.");
    const own = await answeringXml(400, error("XOwnTrouble", ""));
    expect(await reply(own)).toBe("it answered 400 XOwnTrouble");
  });

  test("a list whose pages do not end, and are empty, is given up", async ({ expect }) => {
    const page = "<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>";
    const url = await answering(200, `<ListBucketResult>${page}</ListBucketResult>`);
    expect(await open(url, KEY).list("")).toMatchObject({
      failure: "invalid_endpoint",
      message: "The listing did not end within 200 pages.",
    });
  });

  test("a large body is sent once the server has accepted its headers", async ({ expect }) => {
    const received: number[] = [];
    const url = await serve((request, response) => {
      let size = 0;
      request.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      request.on("end", () => {
        received.push(size);
        response.setHeader("etag", '"1"').end();
      });
    });
    const refusing = createServer();
    servers.push(refusing);
    refusing.on("checkContinue", (_request, response) => {
      response.writeHead(403, { "content-type": "application/xml" });
      response.end("<Error><Code>AccessDenied</Code><Message>No.</Message></Error>");
    });
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
    const refusingUrl = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    const large = Buffer.alloc(4 * MIB, 5);
    expect(await open(url, KEY).put("large", large)).toEqual({ stored: true });
    expect(received).toEqual([large.length]);
    expect(await open(refusingUrl, KEY).put("large", large)).toMatchObject({ failure: "access_denied" });
  });

  test("an endpoint that never answers, or never ends its answer, is given up", async ({ expect }) => {
    const hanging = await serve(() => undefined);
    expect(await failureOf(open(hanging, KEY, "exports", impatient))).toBe("unavailable");
    const endless = await serve((_request, response) => {
      response.writeHead(200, { etag: '"1"', "content-length": "100" }).write("half");
    });
    // The code depends on whether the headers arrived in time.
    expect(await open(endless, KEY, "exports", impatient).get("x")).toMatchObject({ failure: "unavailable" });
  });
});
