import { expect, it } from "vitest";
import { run, start, workingFolder } from "../support/emulator-process.ts";

it("a destination elsewhere brings no notes of its libraries onto standard error", async () => {
  const { ready, child, ended } = await start(["--ephemeral"], { cwd: workingFolder() });
  const reply = await fetch(`${ready.url}/api/v1/bulk-exports/destinations`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "emulator-key",
      "x-tenant-id": "00000000-0000-4000-8000-000000000001",
    },
    body: JSON.stringify({
      destination_type: "s3",
      display_name: "Elsewhere",
      config: { bucket_name: "exports", prefix: "x", endpoint_url: "http://127.0.0.1:9" },
      credentials: { access_key_id: "key", secret_access_key: "secret" },
    }),
  });
  expect(reply.status).toBe(400);
  expect(((await reply.json()) as { detail: string }).detail).toMatch(
    /^Failed to validate S3 destination: Invalid endpoint\. .* \(nothing listens at that address\)$/,
  );
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
});

it("contract cases that read a bucket print no warning, either", async () => {
  const judged = await run(["contract", "run", "2.7/columns"], { cwd: workingFolder() });
  expect(judged).toMatchObject({ code: 0, stderr: "" });
});
