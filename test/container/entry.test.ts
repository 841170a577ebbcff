import { randomUUID } from "node:crypto";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { parquetMetadata } from "hyparquet";
import { GenericContainer, Network, type StartedTestContainer, Wait } from "testcontainers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReceiver } from "../../contracts/targets/receiver.ts";
import {
  EmulatorContainer,
  HOST_NAME_INSIDE,
  type StartedEmulatorContainer,
} from "../../emulator/entries/testcontainers.ts";
import { BASE_IMAGE, docker, IMAGE, ROOT } from "./docker.ts";

const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};
const PATIENCE_MS = 60_000;

/** An object store that is not ours, in a container of its own. */
const FOREIGN_STORE = `
  import S3rver from "/store/node_modules/s3rver/lib/s3rver.js";
  await new S3rver({
    address: "0.0.0.0", port: 4568, silent: true, directory: "/tmp/objects", vhostBuckets: false,
    configureBuckets: [{ name: "exports", configs: [] }],
  }).run();
  console.log("store ready");
`;

async function call<T>(emulator: StartedEmulatorContainer, path: string, body?: unknown): Promise<T> {
  const reply = await fetch(`${emulator.url}${path}`, {
    headers: HEADERS,
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Sixty traces of a project, exported to a destination until that is complete; answers with the id. */
async function exportWith(emulator: StartedEmulatorContainer, config: object, secret: string, key = secret) {
  const project = `shop-${randomUUID()}`;
  const traces = { count: 60, project, from: "2026-02-25T00:00:00Z", to: "2026-02-27T00:00:00Z" };
  await emulator.control("POST", "/traces/generate", traces);
  const [session] = await call<{ id: string }[]>(emulator, `/sessions?name=${project}`);
  const destination = await call<{ id: string }>(emulator, "/api/v1/bulk-exports/destinations", {
    destination_type: "s3",
    display_name: "Mine",
    config: { prefix: "mine", region: "us-east-1", ...config },
    credentials: { access_key_id: key, secret_access_key: secret },
  });
  const { id } = await call<{ id: string }>(emulator, "/api/v1/bulk-exports", {
    bulk_export_destination_id: destination.id,
    session_id: session!.id,
    start_time: traces.from,
    end_time: traces.to,
    format_version: "v2_beta",
  });
  const until = { export: id, status: "COMPLETED" };
  expect(await emulator.control("POST", "/clock/advance", { until })).toMatchObject({ reached: true });
  return id;
}

/** Rows of the Parquet files of an export, as the AWS SDK finds them at an address. */
async function rowsAt(endpoint: string, bucket: string, id: string, secret: string, key = secret) {
  const credentials = { accessKeyId: key, secretAccessKey: secret };
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials });
  try {
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: "mine/" }),
    );
    let rows = 0;
    for (const { Key } of Contents) {
      if (!Key?.includes(id)) continue;
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
      const bytes = await Body!.transformToByteArray();
      const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      rows += Number(parquetMetadata(buffer as ArrayBuffer).num_rows);
    }
    return rows;
  } finally {
    client.destroy();
  }
}

describe("the container class with an engine", () => {
  let emulator: StartedEmulatorContainer;

  beforeAll(async () => {
    emulator = await new EmulatorContainer(IMAGE).withFrozenClock("2026-03-01T00:00:00Z").withSeed(7).start();
  });

  afterAll(() => emulator?.stop());

  it("starts with the given options", async () => {
    expect(await emulator.control("GET", "/clock")).toMatchObject({
      now: "2026-03-01T00:00:00.000000Z",
      mode: "frozen",
    });
    expect(await emulator.control("GET", "/status")).toMatchObject({ seed: 7 });
    expect((await fetch(`${emulator.euUrl}/ok`)).status).toBe(200);
  });

  it("exports into its own store, which this machine reads by the mapped port", async () => {
    for (const endpoint of [{}, { endpoint_url: emulator.s3UrlInside }]) {
      const id = await exportWith(
        emulator,
        { bucket_name: "traces", ...endpoint },
        "emulator-secret",
        "emulator",
      );
      const { AWS_ENDPOINT_URL_S3 = "" } = emulator.environment();
      expect(await rowsAt(AWS_ENDPOINT_URL_S3, "traces", id, "emulator-secret", "emulator")).toBe(60);
      expect(await call(emulator, `/_emulator/v1/exports/${id}/verify`)).toMatchObject({ ok: true });
    }
  });

  it("refuses a destination at an address that leads nowhere inside of the container", async () => {
    // Not `s3Url`: where the tests run in a container themselves it is a gateway's, which the emulator reaches as well.
    const endpoint = `http://localhost:${new URL(emulator.s3Url).port}`;
    const config = { bucket_name: "traces", endpoint_url: endpoint };
    await expect(exportWith(emulator, config, "emulator-secret", "emulator")).rejects.toThrow(
      /400 .*validate/,
    );
  });

  it("sends webhooks to this machine", async () => {
    const receiver = await openReceiver(HOST_NAME_INSIDE);
    try {
      const { thread_id } = await call<{ thread_id: string }>(emulator, "/threads", {});
      await call(emulator, `/threads/${thread_id}/runs`, {
        assistant_id: "echo",
        input: {},
        webhook: `${receiver.url}/hook`,
      });
      await emulator.control("POST", "/clock/advance", { by: "PT1M" });
      expect(await receiver.arrived(1, PATIENCE_MS)).toBe(true);
      expect(receiver.deliveries.map(({ path }) => path)).toEqual(["/hook"]);
    } finally {
      await receiver.close();
    }
  });

  it("is gone when it is stopped", async () => {
    const short = await new EmulatorContainer(IMAGE).start();
    const id = short.getId();
    await short.stop();
    expect(await docker("ps", "--all", "--quiet", "--no-trunc", "--filter", `id=${id}`)).toBe("");
    await expect(fetch(`${short.url}/ok`)).rejects.toThrow();
  });
});

describe("among other containers", () => {
  let network: Awaited<ReturnType<Network["start"]>>;
  let emulator: StartedEmulatorContainer;
  let store: StartedTestContainer;

  beforeAll(async () => {
    network = await new Network().start();
    [emulator, store] = await Promise.all([
      new EmulatorContainer(IMAGE)
        .withFrozenClock("2026-03-01T00:00:00Z")
        .withNetwork(network)
        .withNetworkAliases("platform")
        .start(),
      new GenericContainer(BASE_IMAGE)
        .withNetwork(network)
        .withNetworkAliases("store")
        .withBindMounts([{ source: `${ROOT}node_modules`, target: "/store/node_modules", mode: "ro" }])
        .withCommand(["node", "--input-type=module", "-e", FOREIGN_STORE])
        .withExposedPorts(4568)
        .withWaitStrategy(Wait.forLogMessage("store ready"))
        .start(),
    ]);
  });

  afterAll(async () => {
    await Promise.all([emulator?.stop(), store?.stop()]);
    await network?.stop();
  });

  it("exports to a foreign store by the name that it has there", async () => {
    const config = { bucket_name: "exports", endpoint_url: "http://store:4568" };
    const id = await exportWith(emulator, config, "S3RVER");
    const address = `http://${store.getHost()}:${store.getMappedPort(4568)}`;
    expect(await rowsAt(address, "exports", id, "S3RVER")).toBe(60);
    expect(await rowsAt(emulator.s3Url, "traces", id, "emulator-secret", "emulator")).toBe(0);
  });

  it("lets neighbours use its controls and its store by its alias and address, and no page by a name of its own", async () => {
    const address = emulator.getIpAddress(network.getName());
    const ask = async (host: string, name = host) => {
      const script = `require("node:http").get({ host: "${host}", port: 4700, path: "/_emulator/v1/clock",
        headers: { host: "${name}:4700" } }, ({ statusCode }) => { console.log(statusCode); process.exit(); })`;
      return (await store.exec(["node", "-e", script])).output.trim();
    };
    expect(await ask("platform")).toBe("200");
    expect(await ask(address)).toBe("200");
    expect(await ask(address, "rebound.example")).toBe("403");
    const put = await store.exec(["node", "-e", PUT_BY_NEIGHBOUR]);
    expect(put).toMatchObject({ exitCode: 0, output: expect.stringContaining("200") });
  });
});

const PUT_BY_NEIGHBOUR = `
  const { S3Client, PutObjectCommand } = require("/store/node_modules/@aws-sdk/client-s3");
  const credentials = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };
  const client = new S3Client({ endpoint: "http://platform:4702", region: "us-east-1", forcePathStyle: true, credentials });
  client.send(new PutObjectCommand({ Bucket: "traces", Key: "from/neighbour", Body: "x" }))
    .then(({ $metadata }) => console.log($metadata.httpStatusCode));
`;
