import { expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { DESTINATION } from "../../support/emulator.ts";
import { start, workingFolder } from "../../support/emulator-process.ts";
import { send } from "../../support/send.ts";

it("a destination elsewhere brings no notes of its libraries onto standard error", async () => {
  const { ready, child, ended } = await start(["--ephemeral"], { cwd: workingFolder() });
  const { status, body } = await send(ready.url, "POST", "/api/v1/bulk-exports/destinations", {
    ...DESTINATION,
    config: { bucket_name: "exports", prefix: "x", endpoint_url: "http://127.0.0.1:9" },
  });
  expect(status).toBe(400);
  expect(body.detail).toMatch(
    /^Failed to validate S3 destination: Invalid endpoint\. .* \(nothing listens at that address\)$/,
  );
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
});

it("contract cases that read a bucket print no warning, either", async () => {
  const judged = await run(["contract", "run", "2.7/columns"], { cwd: workingFolder() });
  expect(judged).toMatchObject({ code: 0, stderr: "" });
});
