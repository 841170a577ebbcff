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
  addresses = ["#/time", "#/exports", `#/exports/${id}`, "#/nowhere"];
});

afterAll(async () => {
  await browser?.close();
  await rig?.close();
});

describe.skipIf(!hasChromium)("every view", () => {
  it.each(["light", "dark"] as const)(
    "has nothing that axe finds, %s",
    async (colorScheme) => {
      const { page, open, close } = await openPage(browser, rig.emulator.url, { colorScheme });
      const found: string[] = [];
      for (const address of addresses) {
        await open(address);
        await page.getByText("Reading …").waitFor({ state: "detached" });
        found.push(...(await findings(page)).map((finding) => `${address} ${finding}`));
      }
      await close();
      expect(found).toEqual([]);
    },
    120_000,
  );

  it.each([320, 1920])(
    "fits a window of %s px",
    async (width) => {
      const viewport = { width, height: 800 };
      const { page, open, close } = await openPage(browser, rig.emulator.url, { viewport });
      for (const address of addresses) {
        await open(address);
        await page.getByText("Reading …").waitFor({ state: "detached" });
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect({ address, beyond: Math.max(0, beyond) }).toEqual({ address, beyond: 0 });
      }
      await close();
    },
    60_000,
  );
});
