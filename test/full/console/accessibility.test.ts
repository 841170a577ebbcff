import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findings, show, useBrowser } from "../../console/browser.ts";
import { type ExportRig, startExportRig } from "../../support/emulator.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt } = useBrowser();
let rig: ExportRig;
let addresses: readonly string[];

beforeAll(async () => {
  if (!hasChromium) return;
  rig = await startExportRig();
  await rig.arm({ preset: "worker_crash" });
  const id = await rig.createExportId();
  await rig.advance("PT2S");
  await rig.createExportId({ interval_hours: 6 });
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
    ...[`webhooks/${delivery?.id}`, "limits", "faults", "requests", "worlds", "settings", "nowhere"],
  ].map((address) => `#/${address}`);
});

afterAll(() => rig?.close());

const HEIGHT = 800;
const WIDTHS = [320, 1920, 1280];
const SCHEMES = ["light", "dark"] as const;

describe.skipIf(!hasChromium)("every view", () => {
  it("has nothing that axe finds, in light and in dark, and fits windows of 320, 1280 and 1920 px", async () => {
    const { url } = rig.emulator;
    const problems: string[] = [];
    const page = await openAt(url, "#/time");
    const beyond = () =>
      page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
    for (const address of addresses) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await show(page, url, address);
        // What measures itself does so a frame later.
        await expect.poll(beyond, { message: `${address} ${width} px`, interval: 20 }).toBe(0);
      }
      for (const [later, colorScheme] of SCHEMES.entries()) {
        await page.emulateMedia({ colorScheme });
        // Colours are all that differs from the first. They take most of the time.
        const contrast = later > 0 ? "only" : true;
        problems.push(...(await findings(page, contrast)).map((each) => `${address} ${colorScheme} ${each}`));
      }
    }
    expect(problems).toEqual([]);
  });

  it("shows whole tables of exports and limits in a window of 1280 px", async () => {
    const page = await openAt(rig.emulator.url, "#/time");
    for (const [view, table] of [
      ["exports", "Exports"],
      ["limits", "Meters"],
    ] as const) {
      await show(page, rig.emulator.url, `#/${view}`);
      const box = page.getByRole("region", { name: table, exact: true });
      const beyond = await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect({ table, beyond }).toEqual({ table, beyond: 0 });
    }
  });
});
