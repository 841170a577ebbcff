import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../browser/chromium.ts";
import { type ExportRig, startExportRig } from "../support/emulator.ts";
import { toView, useBrowser } from "./browser.ts";

const { openAt: openPageAt } = useBrowser();
let rig: ExportRig;

beforeAll(async () => {
  rig = await startExportRig();
});

afterAll(() => rig.close());

const openAt = (address: string) => openPageAt(rig.emulator.url, address);

describe.skipIf(!hasChromium)("the console, in Chromium", () => {
  it("drags the clock to the right, and an export completes", async () => {
    const id = await rig.ordered();
    const page = await openAt(`#/exports/${id}`);
    await page.getByRole("heading", { name: "CREATED" }).waitFor();
    await page.getByText("nothing happens before the clock is there").waitFor();
    await toView(page, "Time");
    const playhead = page.getByRole("slider", { name: "Clock of the world" });
    await page.locator(".mark.future").first().waitFor();
    const lanes = await page.locator(".axis-box").boundingBox();
    const start = await playhead.boundingBox();
    if (!lanes || !start) throw new Error("the axis is not shown");
    await page.mouse.move(start.x + start.width / 2, start.y + 10);
    await page.mouse.down();
    await page.mouse.move(lanes.x + lanes.width - 5, start.y + 10, { steps: 4 });
    expect(await playhead.getAttribute("aria-valuetext")).not.toContain("2026-03-01 00:00:00 UTC");
    await page.mouse.up();
    await page.getByText(/Advance to 2026.*: done\./).waitFor();
    await toView(page, "Exports");
    await page.getByRole("link", { name: id.slice(0, 8) }).click();
    await page.getByRole("heading", { name: "COMPLETED" }).waitFor();
    expect(await rig.statusOf(id)).toBe("COMPLETED");
    expect(await page.locator(".day.good").count()).toBe(3);
  });

  it("steps event by event with the arrow keys, and freezes with space", async () => {
    await rig.ordered();
    const page = await openAt("#/time");
    const playhead = page.getByRole("slider", { name: "Clock of the world" });
    const before = await playhead.getAttribute("aria-valuetext");
    await page.locator(".mark.future").first().waitFor();
    await playhead.press("ArrowRight");
    await page.getByText("Advance to the next event: done.").waitFor();
    await page.waitForFunction(
      (text) => document.querySelector("[role=slider]")?.getAttribute("aria-valuetext") !== text,
      before,
    );
    await playhead.press("Space");
    await page.locator(".pill", { hasText: "flowing ×1" }).waitFor();
    await playhead.press("Space");
    await page.locator(".pill", { hasText: "frozen" }).waitFor();
  });

  it("shows a turn as soon as another client has made it", async () => {
    const page = await openAt("#/time");
    const count = page.locator("section[aria-label=Journal] .muted").first();
    const before = await count.textContent();
    await rig.call("POST", "/threads", {});
    await page.waitForFunction(
      (text) => document.querySelector("section[aria-label=Journal] .muted")?.textContent !== text,
      before,
    );
    expect(await page.getByRole("listitem").last().textContent()).toContain("createThread");
  });
});
