import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../browser/chromium.ts";
import { type ExportRig, startExportRig } from "../support/emulator.ts";
import { findings, openBrowser, openPage } from "./browser.ts";

let browser: Browser;
let rig: ExportRig;
let addresses: readonly string[];

beforeAll(async () => {
  if (!hasChromium) return;
  browser = await openBrowser();
  rig = await startExportRig();
  await rig.arm({ preset: "worker_crash" });
  const id = await rig.ordered();
  await rig.advance("PT2S");
  await rig.ordered({ interval_hours: 6 });
  const thread = await rig.call<{ thread_id: string }>("POST", "/threads", {});
  const runs = `/threads/${thread.body.thread_id}/runs`;
  const { body: run } = await rig.call<{ run_id: string }>("POST", runs, {
    assistant_id: "agent",
    webhook: "/_emulator/inbox/hooks",
  });
  await rig.call("POST", `${runs}/crons`, { assistant_id: "agent", schedule: "0 * * * *" });
  await rig.advance("PT1M");
  await rig.emulator.control("POST", "/snapshots", { name: "kept" });
  await rig.emulator.control("PUT", "/rate-limits/runs_query_key", { remaining: 0 });
  const [delivery] = await rig.emulator.control<{ id: string }[]>("GET", "/webhooks/deliveries");
  const { objects } = await rig.emulator.control<{ objects: { key: string }[] }>(
    "GET",
    "/s3/buckets/traces/objects",
  );
  const key = encodeURIComponent(objects[0]?.key ?? "");
  addresses = [
    ...["time?turn=3", "exports", `exports/${id}`, "exports/new", `why/${id}?run=${run.run_id}`, "storage"],
    ...["storage/traces", `file/traces?key=${key}`, "runs", `runs/${run.run_id}`, "webhooks?inbox=hooks"],
    ...[
      `webhooks/${delivery?.id}`,
      "limits",
      "faults",
      "requests",
      "worlds",
      "contract",
      "settings",
      "nowhere",
    ],
  ].map((address) => `#/${address}`);
});

afterAll(async () => {
  await browser?.close();
  await rig?.close();
});

describe.skipIf(!hasChromium)("every view", () => {
  it("has nothing that axe finds, in light and in dark", async () => {
    const { page, open, close } = await openPage(browser, rig.emulator.url);
    const found: string[] = [];
    for (const address of addresses) {
      await page.emulateMedia({ colorScheme: "light" });
      await open(address);
      found.push(...(await findings(page)).map((finding) => `${address} ${finding}`));
      // Colours are all that differs.
      await page.emulateMedia({ colorScheme: "dark" });
      found.push(
        ...(await findings(page, ["color-contrast"])).map((finding) => `${address} dark ${finding}`),
      );
    }
    await close();
    expect(found).toEqual([]);
  });

  it.each([320, 1920])("fits a window of %s px", async (width) => {
    const viewport = { width, height: 800 };
    const { page, open, close } = await openPage(browser, rig.emulator.url, { viewport });
    for (const address of addresses) {
      await open(address);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect({ address, beyond: Math.max(0, beyond) }).toEqual({ address, beyond: 0 });
    }
    await close();
  });

  it("shows whole tables of exports and limits in a window of 1280 px", async () => {
    const { page, open, close } = await openPage(browser, rig.emulator.url);
    for (const [view, table] of [
      ["exports", "Exports"],
      ["limits", "Meters"],
    ] as const) {
      await open(`#/${view}`);
      const box = page.getByRole("region", { name: table, exact: true });
      const beyond = await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect({ table, beyond }).toEqual({ table, beyond: 0 });
    }
    await close();
  });
});
