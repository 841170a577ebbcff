import { expect, it } from "vitest";
import { hasChromium } from "../browser/chromium.ts";
import { startExportRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";
import { timeIsWhole, useBrowser } from "./browser.ts";

const { openAt } = useBrowser();
const rig = useRig("file", () => startExportRig());

it.skipIf(!hasChromium)("Back returns from history to the present, however far that was", async () => {
  const page = await openAt(rig.emulator.url, "#/time");
  await timeIsWhole(page, rig.emulator);
  const playhead = page.getByRole("slider", { name: "Clock of the world" });
  const past = page.getByText("every view shows the earlier state");
  await playhead.press("ArrowLeft");
  await past.waitFor();
  await playhead.press("ArrowLeft");
  await page.goBack();
  await past.waitFor({ state: "detached" });
  expect(new URL(page.url()).hash).toBe("#/time");
});

it.skipIf(!hasChromium)("the playhead differs from the page in forced colours", async () => {
  const page = await openAt(rig.emulator.url, "#/time");
  await timeIsWhole(page, rig.emulator);
  await page.emulateMedia({ forcedColors: "active" });
  const colours = await page.evaluate(() =>
    [".playhead-line", "body"].map((part) => {
      const element = document.querySelector(part);
      return element && getComputedStyle(element).backgroundColor;
    }),
  );
  await page.emulateMedia({ forcedColors: null });
  expect(new Set(colours).size).toBe(2);
});
