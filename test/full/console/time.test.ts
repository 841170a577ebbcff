import { describe, expect, it, onTestFinished } from "vitest";
import type { Lanes } from "../../../emulator/control/turns/lanes.ts";
import { copied, timeIsWhole, toView, turnsIn, useBrowser } from "../../console/browser.ts";
import { startExportRig } from "../../support/emulator.ts";
import { useRig } from "../../support/use-rig.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt: openPageAt } = useBrowser();
const rig = useRig("file", () => startExportRig());

const openAt = (address: string) => openPageAt(rig.emulator.url, address);

describe.skipIf(!hasChromium)("the console, in Chromium", () => {
  it("drags the clock to the right, and an export completes", async () => {
    const id = await rig.createExportId();
    const page = await openAt(`#/exports/${id}`);
    await page.getByRole("heading", { name: "CREATED" }).waitFor();
    await page.getByText("when the clock reaches this time").waitFor();
    await toView(page, "Time");
    const playhead = page.getByRole("slider", { name: "Clock of the world" });
    await timeIsWhole(page, rig.emulator);
    const { exports } = await rig.emulator.control<Lanes>("GET", "/lanes");
    expect(exports.total).toBe(1);
    await page.locator(".lane-names div", { hasText: `Exports ${exports.total}` }).waitFor();
    await page.locator(".mark.future").first().waitFor();
    // Unlike measuring it first, this waits until it stands still.
    await playhead.hover();
    await page.mouse.down();
    const lanes = await page.locator(".axis-box").boundingBox();
    if (!lanes) throw new Error("the axis is not shown");
    await page.mouse.move(lanes.x + lanes.width - 5, lanes.y + 40, { steps: 4 });
    await page.getByText(/^advance by /).waitFor();
    await page.mouse.up();
    await page.getByText(/Advance to 2026.*: done\./).waitFor();
    expect(await copied(page, /^Advance to 2026.*: copy$/, "scenario step")).toMatch(
      /^- advance: {"to":"2026-[^"]*Z"}$/,
    );
    await toView(page, "Exports");
    await page.getByRole("link", { name: id.slice(0, 8), exact: true }).click();
    await page.getByRole("heading", { name: "COMPLETED" }).waitFor();
    expect(await rig.statusOf(id)).toBe("COMPLETED");
    expect(await page.locator(".day.good").count()).toBe(3);
  });

  it("drags the clock to the left, forks a world from there, and cancels an export of now", async () => {
    const own = await startExportRig();
    // The page is closed before.
    onTestFinished(() => own.close());
    const first = await own.createExportId();
    await own.complete(first);
    await own.advance("PT1H");
    const second = await own.createExportId();
    const page = await openPageAt(own.emulator.url, "#/time");
    const link = (id: string) => page.getByRole("link", { name: id.slice(0, 8), exact: true });
    await timeIsWhole(page, own.emulator);
    await page.getByRole("slider", { name: "Clock of the world" }).hover();
    await page.mouse.down();
    const [lanes, line] = await Promise.all(
      [".axis-box", ".playhead"].map((part) => page.locator(part).boundingBox()),
    );
    if (!lanes || !line) throw new Error("the axis is not shown");
    await page.mouse.move((lanes.x + line.x) / 2, lanes.y + 40, { steps: 4 });
    await page.getByText(/ ago$/).waitFor();
    await page.mouse.up();
    await page.getByText("every view shows the earlier state").waitFor();
    await toView(page, "Exports");
    await link(first).waitFor();
    expect(await link(second).count()).toBe(0);
    await page.getByRole("button", { name: "Fork a world from here", exact: true }).click();
    await page.waitForURL(/\/w\/[^/]+\/_emulator\/console\//);
    await toView(page, "Exports");
    await link(first).waitFor();
    expect(await link(second).count()).toBe(0);

    await page.goto(`${own.emulator.url}/_emulator/console/#/exports/${second}`);
    await page.getByRole("button", { name: "Cancel the export", exact: true }).click();
    await page.getByRole("heading", { name: "CANCELLED", exact: true }).waitFor();
    expect(await own.statusOf(second)).toBe("CANCELLED");
  });

  // Smaller gestures than those above.
  it("steps event by event with the arrow keys, and freezes with space", async () => {
    await rig.createExportId();
    const page = await openAt("#/time");
    const playhead = page.getByRole("slider", { name: "Clock of the world" });
    await timeIsWhole(page, rig.emulator);
    await page.locator("[role=slider][aria-valuetext$=frozen]").waitFor();
    const before = await playhead.getAttribute("aria-valuetext");
    await playhead.press("ArrowRight");
    await page.getByText("Advance to the next event: done.").waitFor();
    await page.waitForFunction(
      (text) => document.querySelector("[role=slider]")?.getAttribute("aria-valuetext") !== text,
      before,
    );
    await playhead.press("Space");
    await page.locator(".pill", { hasText: "flowing ×1" }).waitFor();
    // The journal may say so before the reply: until then no other key counts.
    await page.getByText("Let the clock flow: done.").waitFor();
    await playhead.press("Space");
    await page.locator(".pill", { hasText: "frozen" }).waitFor();
    await page.getByText("Freeze the clock: done.").waitFor();
  });

  it("shows a turn as soon as another client has made it", async () => {
    const page = await openAt("#/time");
    await timeIsWhole(page, rig.emulator);
    const row = turnsIn(page).filter({ hasText: "createThread" });
    expect(await row.count()).toBe(0);
    await rig.call("POST", "/threads", {});
    await row.waitFor();
  });

  it.each([1280, 360])("leaves a turn that is chosen and let go where it is, %s px wide", async (width) => {
    for (let count = 0; count < 40; count += 1) await rig.call("POST", "/threads", {});
    const page = await openPageAt(rig.emulator.url, "#/time", { viewport: { width, height: 800 } });
    await timeIsWhole(page, rig.emulator);
    const list = page.getByRole("list", { name: "Turns" });
    await list.evaluate((element) => {
      element.scrollTop = 10 * 28;
    });
    const turn = turnsIn(page).filter({ has: page.getByText("14", { exact: true }) });
    await turn.waitFor();
    const inView = async () => {
      const [row, box] = await Promise.all([turn.boundingBox(), list.boundingBox()]);
      if (!row || !box) throw new Error("the turn is not shown");
      expect(row.y).toBeGreaterThanOrEqual(box.y - 1);
      expect(row.y + row.height).toBeLessThanOrEqual(Math.min(800, box.y + box.height) + 1);
      return row.y + row.height;
    };
    await turn.getByRole("button").click();
    const detail = page.getByRole("complementary", { name: "Turn 14" });
    await detail.waitFor();
    const bottom = await inView();
    const top = (await detail.boundingBox())?.y ?? 0;
    if (width < 760) expect(bottom).toBeLessThanOrEqual(top + 1);
    await detail.getByRole("button", { name: "Close", exact: true }).click();
    await detail.waitFor({ state: "detached" });
    await inView();
    // What arrives meanwhile moves a list only where it shows its end.
    await rig.call("POST", "/threads", {});
    const { length } = await rig.emulator.control<readonly unknown[]>("GET", "/journal");
    await page.locator(`[aria-label=Turns] [aria-setsize="${length}"]`).first().waitFor();
    await inView();
  });
});
