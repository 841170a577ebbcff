import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findings, timeIsWhole, useBrowser } from "../../console/browser.ts";
import { prepareExport, startExportRig } from "../../support/emulator.ts";
import { useRig } from "../../support/use-rig.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt } = useBrowser();
const rig = useRig("file", () => startExportRig());

const WIDTHS = [1440, 1024, 390];

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} is not visible`);
  return box;
}

const timeNow = async () => (await rig.emulator.control<{ now: string }>("GET", "/clock")).now;

describe.skipIf(!hasChromium)("Escape", () => {
  it("cancels a drag of the playhead: the clock does not advance on release", async () => {
    await rig.createExportId();
    const page = await openAt(rig.emulator.url, "#/time");
    await timeIsWhole(page, rig.emulator);
    const before = await timeNow();
    await page.getByRole("slider", { name: "Clock of the world" }).hover();
    await page.mouse.down();
    const axis = await boxOf(page, ".axis-box");
    await page.mouse.move(axis.x + axis.width - 5, axis.y + 40, { steps: 4 });
    await page.getByText(/^advance by /).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText(/^advance by /).waitFor({ state: "detached" });
    await page.mouse.move(axis.x + axis.width - 9, axis.y + 40);
    await page.mouse.up();
    // The reply to an advance would show a message; this action is sent after it.
    await page.getByRole("button", { name: "Let it flow", exact: true }).click();
    await page.getByText("Let it flow: done.").waitFor();
    await page.getByRole("button", { name: "Freeze", exact: true }).click();
    await page.getByText("Freeze: done.").waitFor();
    // The clock flowed for a moment; the drag would have advanced it by more than a minute.
    expect(Date.parse(await timeNow()) - Date.parse(before)).toBeLessThan(60_000);
  });

  it("cancels a drag of the slider of a run's stream", async () => {
    const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
    const { body: run } = await rig.call<{ run_id: string }>("POST", `/threads/${thread.thread_id}/runs`, {
      assistant_id: "agent",
      input: { messages: [{ role: "user", content: "Hello" }] },
    });
    await rig.advance("PT1M");
    const page = await openAt(rig.emulator.url, `#/runs/${run.run_id}`);
    const slider = page.getByRole("slider", { name: "Events shown" });
    const last = await slider.inputValue();
    expect(Number(last)).toBeGreaterThan(1);
    const box = await boxOf(page, "input[type=range]");
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 8, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 4, y, { steps: 4 });
    expect(await slider.inputValue()).toBe("0");
    await page.keyboard.press("Escape");
    await page.mouse.move(box.x + 20, y, { steps: 2 });
    await page.mouse.up();
    expect(await slider.inputValue()).toBe(last);
    await page.keyboard.press("ArrowLeft");
    expect(await slider.inputValue()).toBe(String(Number(last) - 1));
  });
});

const visibleTime = (page: Page) => page.getByText(/^Showing /).textContent();

/** A world of days: an export of seconds, forty turns at one time, ten idle days, and a daily schedule. */
async function makeDays(): Promise<void> {
  await rig.createExportId();
  await rig.advance("PT5M");
  for (let count = 0; count < 40; count += 1) await rig.call("POST", "/threads", {});
  await rig.advance("P10D");
  await rig.createExportId({ interval_hours: 24, end_time: null });
  await rig.advance("P3D");
}

describe.skipIf(!hasChromium)("the axis", () => {
  beforeAll(makeDays);

  it.each(WIDTHS)("pans, zooms and folds idle time, %s px wide", async (width) => {
    const page = await openAt(rig.emulator.url, "#/time", { viewport: { width, height: 860 } });
    await timeIsWhole(page, rig.emulator);
    await page
      .locator(".fold title", { hasText: /^(9|10) d.* without turns$/ })
      .waitFor({ state: "attached" });
    await page
      .locator(".band-bar title", { hasText: /^schedule .*, \d+ exports$/ })
      .waitFor({ state: "attached" });
    const whole = await visibleTime(page);
    const axis = await boxOf(page, ".axis-box");
    const [x, y] = [axis.x + axis.width / 10, axis.y + 60];

    await page.mouse.move(x, y);
    for (let turned = 0; turned < 6; turned += 1) await page.mouse.wheel(0, -500);
    await expect.poll(() => visibleTime(page)).not.toBe(whole);
    // The clock is far to the right of the first tenth: an arrow at the edge, with the right time.
    await page.locator(".playhead.after", { hasText: "▶" }).waitFor();
    const now = await page.locator(".now-time").textContent();
    expect(await page.locator(".playhead-text").textContent()).toContain(now ?? "?");

    const drag = async () => {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 60, y, { steps: 3 });
    };
    const left = () => page.locator(".overview-window").getAttribute("x");
    const before = await left();
    await drag();
    await expect.poll(left).not.toBe(before);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await expect.poll(left).toBe(before);
    await drag();
    await page.mouse.up();
    await expect.poll(left).not.toBe(before);

    await page.locator(".playhead").click();
    await page.locator(".playhead:not(.after):not(.before)").waitFor();
    await page.mouse.dblclick(axis.x + axis.width - 4, axis.y + 8);
    await expect.poll(() => visibleTime(page)).toBe(whole);
    await page.locator(".playhead").press("+");
    await expect.poll(() => visibleTime(page)).not.toBe(whole);
    await page.locator(".playhead").press("0");
    await expect.poll(() => visibleTime(page)).toBe(whole);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findings(page)).toEqual([]);
    }
  });

  it("follows two fingers, the overview strip and the Page keys", async () => {
    const page = await openAt(rig.emulator.url, "#/time", { viewport: { width: 1440, height: 860 } });
    await timeIsWhole(page, rig.emulator);
    const whole = await visibleTime(page);
    const axis = await boxOf(page, ".axis-box");
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    const fingers = (type: "touchStart" | "touchMove" | "touchEnd", apart?: number) => {
      const at = (x: number, id: number) => ({ x: axis.x + axis.width / 4 + x, y: axis.y + 60, id });
      const touchPoints = apart === undefined ? [] : [at(-apart, 0), at(apart, 1)];
      return session.send("Input.dispatchTouchEvent", { type, touchPoints });
    };
    await fingers("touchStart", 20);
    for (const apart of [40, 80, 160]) await fingers("touchMove", apart);
    await fingers("touchEnd");
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: false });
    await expect.poll(() => visibleTime(page)).not.toBe(whole);

    const left = async () => Number(await page.locator(".overview-window").getAttribute("x"));
    const pinched = await left();
    const strip = await boxOf(page, ".overview");
    const visibleWindow = await boxOf(page, ".overview-window");
    const y = strip.y + strip.height / 2;
    await page.mouse.move(visibleWindow.x + visibleWindow.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(visibleWindow.x + visibleWindow.width / 2 + 50, y, { steps: 3 });
    await expect.poll(async () => Math.round((await left()) - pinched)).toBe(50);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await expect.poll(left).toBeCloseTo(pinched, 0);

    const playhead = page.locator(".playhead");
    await playhead.press("PageDown");
    await expect.poll(left).toBeGreaterThan(pinched + 1);
    await playhead.press("PageUp");
    await expect.poll(left).toBeCloseTo(pinched, 0);
  });

  it("merges marks that would overlap into a count, and opens the turn of a mark", async () => {
    const page = await openAt(rig.emulator.url, "#/time", { viewport: { width: 1440, height: 860 } });
    await timeIsWhole(page, rig.emulator);
    const requests = page.getByRole("group", { name: "Requests", exact: true });
    const counts = requests.locator(".mark.counted");
    await counts.first().waitFor();
    const boxes = await requests
      .locator(".mark rect")
      .evaluateAll((marks) =>
        marks.map((mark) => mark.getBoundingClientRect()).map(({ left, right }) => [left, right] as const),
      );
    for (const [index, [left]] of boxes.entries())
      expect(left).toBeGreaterThan((boxes[index - 1]?.[1] ?? 0) - 1.5);
    await requests.locator(".mark[data-turn]").first().click();
    await page.getByRole("complementary", { name: /^Turn \d+$/ }).waitFor();
  });

  it("shows what changed between two playheads", async () => {
    const page = await openAt(rig.emulator.url, "#/time", { viewport: { width: 1440, height: 860 } });
    await timeIsWhole(page, rig.emulator);
    await page.getByRole("button", { name: "Select a range", exact: true }).click();
    const changes = page.getByRole("region", { name: "Changes in the range", exact: true });
    const row = (name: string) =>
      changes.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
    const added = async (name: string) => Number(await row(name).getByRole("cell").nth(2).textContent());
    await row("agent_threads").waitFor();
    const journal = await rig.emulator.control<{ turn: number; cause: { name: string } }[]>(
      "GET",
      "/journal",
    );
    const threads = journal.filter(({ cause }) => cause.name === "createThread");
    const addedThreads = () => added("agent_threads").catch(() => 0);
    await expect.poll(addedThreads).toBe(threads.length);
    expect(await findings(page)).toEqual([]);
    const handle = page.getByRole("slider", { name: "Other end of the range" });
    const since = threads[5]?.turn ?? 0;
    await page.evaluate((turn) => {
      window.location.hash = `#/time?since=${turn}`;
    }, since);
    await expect.poll(addedThreads).toBe(threads.length - 6);
    await handle.press("ArrowRight");
    await expect.poll(addedThreads).toBe(threads.length - 7);
    const axis = await boxOf(page, ".axis-box");
    const dragTo = async (x: number) => {
      await handle.hover();
      await page.mouse.down();
      await page.mouse.move(x, axis.y + 60, { steps: 3 });
    };
    await dragTo(axis.x + axis.width / 2);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    expect(new URL(page.url()).hash).toBe(`#/time?since=${since + 1}`);
    await dragTo(axis.x + 1);
    await page.mouse.up();
    await expect.poll(addedThreads).toBe(threads.length);
    await handle.press("Escape");
    await changes.waitFor({ state: "detached" });
  });
});

describe.skipIf(!hasChromium)("a year of daily exports and one of two seconds", () => {
  beforeAll(async () => {
    await rig.emulator.control("POST", "/reset", {});
    const more = { start_time: "2026-03-01T00:00:00Z", end_time: null, interval_hours: 24 };
    rig.prepared = await prepareExport(rig);
    await rig.createExportId(more);
    await rig.advance("P365D");
    await rig.createExportId();
    await rig.advance("PT5M");
  });

  it.each(WIDTHS)("are readable %s px wide", async (width) => {
    const page = await openAt(rig.emulator.url, "#/time", { viewport: { width, height: 860 } });
    await timeIsWhole(page, rig.emulator);
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(scrollWidth).toBe(width);
    // The band is filled with its exports, and the short export has its name and duration next to it.
    const widths = await page
      .locator(".band-bar rect")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
    expect(widths[1]).toBeGreaterThan((widths[0] ?? 0) * 0.9);
    await page.locator(".bar:not(.band-bar) text").last().waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it("lists the limits that refused requests between two playheads", async () => {
    const last = (await rig.emulator.control<{ turn: number }[]>("GET", "/journal")).at(-1)?.turn;
    await rig.emulator.control("PUT", "/rate-limits/runs_query_key", { remaining: 0 });
    for (let count = 0; count < 3; count += 1) await rig.call("POST", "/runs/query", { session: [] });
    await rig.emulator.control("POST", "/rate-limits/reset", {});
    const page = await openAt(rig.emulator.url, `#/time?since=${last}`);
    const refusals = page.getByRole("region", { name: "Refusals by limit", exact: true });
    await refusals.getByRole("row", { name: "runs_query_key 3", exact: true }).waitFor();
    expect(await refusals.getByRole("row").count()).toBe(2);
  });
});
