import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { start, workingFolder } from "../../support/emulator-process.ts";
import { send } from "../../support/send.ts";
import { CERTIFICATE, KEY } from "./certificate.ts";

const CONFIG = "webhooks:\n  headers:\n    authorization: Bearer ${{ env.LG_WEBHOOK_TOKEN }}\n";

/** §6.1: checks before the start, and TLS, where only a separate process can trust another certificate. */
describe("webhooks of the built program", () => {
  it("block the start with exit code 2 while a variable is missing (6.1-3)", async () => {
    const cwd = workingFolder();
    writeFileSync(join(cwd, "emulator.config.yaml"), CONFIG);
    const { code, stdout, stderr } = await run(["start", "--port", "0", "--ephemeral"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("LG_WEBHOOK_TOKEN")]);
  });

  it("reach an https receiver whose certificate is trusted, and no other", async () => {
    const received: unknown[] = [];
    const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
      received.push(request.headers.authorization);
      request.resume().on("end", () => response.end("ok"));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const webhook = `https://localhost:${(server.address() as AddressInfo).port}/hook`;
    const cwd = workingFolder();
    writeFileSync(join(cwd, "emulator.config.yaml"), CONFIG);
    writeFileSync(join(cwd, "ca.pem"), CERTIFICATE);
    const secret = { LG_WEBHOOK_TOKEN: "s3cret" };
    const trusting = { ...secret, NODE_EXTRA_CA_CERTS: join(cwd, "ca.pem") };
    expect(await deliveryOf(webhook, cwd, trusting)).toMatchObject({ status: "delivered" });
    expect(received).toEqual(["Bearer s3cret"]);
    const refusal = await deliveryOf(webhook, cwd, secret);
    expect(refusal.status).not.toBe("delivered");
    expect(JSON.stringify(refusal)).toMatch(/self-signed certificate/);
    expect(received).toHaveLength(1);
    server.close();
  });
});

interface Delivery {
  readonly status: string;
}

async function deliveryOf(webhook: string, cwd: string, env: Record<string, string>): Promise<Delivery> {
  const { ready, child, ended } = await start(["--ephemeral", "--clock", "frozen"], { cwd, env });
  await send(ready.url, "POST", "/runs/wait", { assistant_id: "echo", webhook });
  await send(ready.url, "POST", "/_emulator/v1/clock/advance", { by: "PT1M" });
  const { body } = await send<[Delivery]>(ready.url, "GET", "/_emulator/v1/webhooks/deliveries");
  child.kill("SIGTERM");
  await ended;
  return body[0];
}
