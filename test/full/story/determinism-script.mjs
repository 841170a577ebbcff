// Runs one story with the built library and prints the results that must not depend on the machine: the journal and
// the digest of every file that was written.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "../../../dist/emulator/runtime/index.mjs";

const emulator = await startEmulator({
  clock: "frozen",
  now: "2026-03-01T00:00:00Z",
  seed: 7,
  limits: { rows_per_file: 7 },
});

async function call(method, path, body) {
  const reply = await fetch(emulator.url + path, {
    method,
    headers: {
      "content-type": "application/json",
      "x-api-key": "emulator-key",
      "x-tenant-id": "00000000-0000-4000-8000-000000000001",
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return text;
}

const post = async (path, body) => JSON.parse(await call("POST", path, body));
const arm = (rule) => post("/_emulator/v1/faults", rule);

const { session_id } = await post("/_emulator/v1/traces/generate", {
  count: 90,
  project: "shop",
  from: "2026-02-25T00:00:00Z",
  to: "2026-02-28T00:00:00Z",
  seed: 11,
});
const destination = await post("/api/v1/bulk-exports/destinations", {
  destination_type: "s3",
  display_name: "Test bucket",
  config: { bucket_name: "traces", prefix: "exports", region: "us-east-1" },
  credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
});
const order = (body) =>
  post("/api/v1/bulk-exports", {
    bulk_export_destination_id: destination.id,
    session_id,
    start_time: "2026-02-25T00:00:00Z",
    ...(!body.interval_hours && { end_time: "2026-02-28T00:00:00Z" }),
    ...body,
  });

await arm({ target: "worker", match: { at: "file.written", nth: 2 }, then: { crash: true }, times: 2 });
await arm({ target: "s3", match: { op: "PutObject", nth: 6 }, then: { s3_error: "SlowDown" } });
await order({ format_version: "v1", compression: "snappy" });
await order({ format_version: "v2_beta", compression: "zstandard" });
await order({ format_version: "v2_beta", compression: "gzip" });
await order({ filter: 'and(eq(is_root, true), gt(latency, "0s"))', compression: "none" });
await order({ interval_hours: 24, start_time: "2026-02-25T00:00:00+05:30" });
await emulator.clock.advance("P2D");
const { id } = await order({});
await call("PATCH", `/api/v1/bulk-exports/${id}`, { status: "Cancelled" });
await emulator.clock.advance({ to: "2026-03-08T02:30:00-05:00" });

const journal = await call("GET", "/_emulator/v1/journal");
const exports = await call("GET", "/api/v1/bulk-exports");
const { objects_folder } = await emulator.control("GET", "/status");
const files = readdirSync(objects_folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
  .map((path) => [
    path.slice(objects_folder.length + 1),
    createHash("sha256").update(readFileSync(path)).digest("hex"),
  ]);
await emulator.close();
process.stdout.write(
  JSON.stringify({
    here: [new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().locale],
    journal,
    exports,
    files,
  }),
);
