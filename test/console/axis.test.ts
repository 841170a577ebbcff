import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../browser/chromium.ts";
import { startExportRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";
import { timeIsWhole, useBrowser } from "./browser.ts";

const { openAt } = useBrowser();
const rig = useRig("file", () => startExportRig());

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
    const names = await rig.emulator.control<{ cause: { name: string } }[]>("GET", "/journal");
    expect(names.filter(({ cause }) => cause.name.startsWith("export."))).toEqual([]);
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
