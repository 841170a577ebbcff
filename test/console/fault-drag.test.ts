// full depth: a drag in the browser; `journeys.test.ts` arms a fault in the past and compares two worlds.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../browser/chromium.ts";
import { turnOf } from "../support/depth.ts";
import { type ExportRig, prepareExport, startExportRig } from "../support/emulator.ts";
import { findings, timeIsWhole, useBrowser } from "./browser.ts";

const { openAt } = useBrowser();
let rig: ExportRig;

beforeAll(async () => {
  if (hasChromium) rig = await startExportRig();
});

afterAll(() => rig?.close());

interface World {
  readonly id: string;
}
const worlds = () => rig.emulator.control<readonly World[]>("GET", "/worlds");
const faultsOf = async (world: string) => {
  const reply = await fetch(`${rig.emulator.url}/w/${world}/_emulator/v1/faults`);
  return (await reply.json()) as readonly { readonly preset: string; readonly match: object }[];
};

/** The time view of a world with an export that has not begun, and its preset. */
async function openPresets(width: number): Promise<{ readonly page: Page; readonly id: string }> {
  await rig.emulator.control("POST", "/reset", {});
  for (const { id } of (await worlds()).filter((world) => world.id !== "main"))
    await rig.emulator.control("DELETE", `/worlds/${id}`);
  rig.prepared = await prepareExport(rig);
  const id = await rig.createExportId();
  const page = await openAt(rig.emulator.url, "#/time", { viewport: { width, height: 860 } });
  await timeIsWhole(page, rig.emulator);
  await page.getByText("Drag a fault onto the future").click();
  return { page, id };
}

const preset = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Drags a preset over the first predicted event of the export. */
async function dragToFirstMark(page: Page, name: string): Promise<void> {
  const mark = await page.locator('.mark[data-event^="export"] rect').first().boundingBox();
  await preset(page, name).hover();
  await page.mouse.down();
  await page.mouse.move((mark?.x ?? 0) + 2, (mark?.y ?? 0) + 5, { steps: 4 });
  await page.locator(".drop-target").waitFor();
}

describe.skipIf(!hasChromium)("a fault on the future", () => {
  it.each(turnOf([1440, 1024, 390], 2))(
    "is compared with this world in three gestures, %s px wide",
    async (width) => {
      const { page, id } = await openPresets(width);
      await dragToFirstMark(page, "run_timeout");
      await page.mouse.up();
      const title = page.getByRole("heading", { level: 1, name: /^main and / });
      await title.waitFor();
      const fork = (await title.textContent())?.replace("main and ", "") ?? "";
      expect(await faultsOf(fork)).toMatchObject([{ preset: "run_timeout", match: { export_id: id } }]);
      expect(await rig.emulator.control("GET", "/faults")).toEqual([]);
      const exportsOf = (world: string) =>
        page.getByRole("group", { name: `${world} Exports`, exact: true }).boundingBox();
      await page.getByText(/^Turn \d+: they part$/).waitFor();
      expect((await exportsOf(fork))?.y).toBeGreaterThan((await exportsOf("main"))?.y ?? Number.NaN);
      await page.getByRole("button", { name: "Advance both", exact: true }).click();
      const row = page.getByRole("region", { name: "Exports of both" }).getByRole("row").last();
      await row.getByText("differs").waitFor();
      await page.getByRole("status").getByText(`Advance ${fork}:`).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findings(page)).toEqual([]);
      }
    },
  );

  it("is dropped with the keyboard, and Escape cancels both ways", async () => {
    const { page, id } = await openPresets(1280);
    const zoomIn = page.getByRole("button", { name: "Zoom in", exact: true });
    for (let clicks = 0; clicks < 6; clicks += 1) await zoomIn.click();
    await dragToFirstMark(page, "worker_crash");
    await page.keyboard.press("Escape");
    await page.mouse.up();
    const chip = preset(page, "worker_crash");
    await chip.press("Enter");
    await page.locator(".drop-target").waitFor();
    await chip.press("Escape");
    await page.locator(".drop-target").waitFor({ state: "detached" });
    expect(await worlds()).toHaveLength(1);
    await chip.press("Enter");
    const target = page.getByRole("status").getByText(/^worker_crash on export/);
    const first = await target.textContent();
    await chip.press("ArrowRight");
    await expect.poll(() => target.textContent()).not.toBe(first);
    await chip.press("ArrowLeft");
    await expect.poll(() => target.textContent()).toBe(first);
    expect(await findings(page)).toEqual([]);
    await chip.press("Enter");
    await page.getByRole("heading", { level: 1, name: /^main and / }).waitFor();
    const fork = (await worlds()).find((world) => world.id !== "main")?.id ?? "";
    expect(await faultsOf(fork)).toMatchObject([{ preset: "worker_crash", match: { export_id: id } }]);
  });
});
