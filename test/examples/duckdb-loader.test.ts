import { S3Client } from "@aws-sdk/client-s3";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, beforeEach, expect, it } from "vitest";
import { download, load } from "../../fixtures/examples/duckdb-loader.ts";
import {
  createExport,
  type PreparedExport,
  prepareExport,
  runToCompletion,
  startRig,
} from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig());
let folder: string;
let client: S3Client;

beforeEach(async () => {
  folder = workingFolder();
  client = new S3Client({
    endpoint: rig.emulator.s3Url,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "emulator", secretAccessKey: "emulator-secret" },
  });
});

afterEach(async () => {
  client.destroy();
});

async function exportRows(prepared: PreparedExport, more: Record<string, unknown> = {}): Promise<string> {
  const { id } = (await createExport(rig, prepared, { format_version: "v2_beta", ...more })).body;
  await runToCompletion(rig, id);
  await download({ client, bucket: "traces", prefix: "exports" }, id, folder);
  return id;
}

it("joins exports with other columns, keeps each row once and the later state of it, and passes over test files", async () => {
  // The test file of a destination that may not delete is in the same bucket.
  await rig.emulator.control("PATCH", "/s3/credentials/emulator", { deny: ["delete"] });
  const prepared = await prepareExport(rig);
  const first = await exportRows(prepared, { export_fields: ["id", "name", "start_time", "status"] });
  await rig.emulator.control("POST", "/traces/generate", {
    count: 10,
    project: "shop",
    from: "2026-02-26T00:00:00Z",
    to: "2026-02-27T00:00:00Z",
  });
  const second = await exportRows(prepared);
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await load(connection, folder, [first, second]);
    const answer = await connection.runAndReadAll(
      "SELECT count(*)::INT AS n, count(DISTINCT id)::INT AS ids, count(total_tokens)::INT AS priced, count(DISTINCT export_id)::INT AS exports FROM runs",
    );
    const [row] = answer.getRowObjectsJS();
    expect(row).toMatchObject({ n: 70, ids: 70, exports: 1 });
    expect(Number(row?.priced)).toBeGreaterThan(0);
    await expect(load(connection, folder, ["x'; DROP TABLE runs; --"])).rejects.toThrow(
      "is not an export id",
    );
  } finally {
    connection.closeSync();
  }
});
