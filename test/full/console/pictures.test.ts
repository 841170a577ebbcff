import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Emulator } from "../../../emulator/runtime/index.ts";
import { show, timeIsWhole, useBrowser } from "../../console/browser.ts";
import { startExportRig } from "../../support/emulator.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt, openBlank } = useBrowser();

/** What a view looks like: its elements as assistive technology reads them, and its pictures (PNG, base64). */
interface Look {
  readonly elements: string;
  readonly light: string;
  readonly dark: string;
}

/** The main views of a world that the same seed and the same requests have made. */
async function looks(): Promise<Readonly<Record<string, Look>>> {
  const rig = await startExportRig({ seed: 7, rateLimits: "on" });
  // The page has left before.
  onTestFinished(() => rig.close());
  const { emulator } = rig;
  await rig.arm({ preset: "worker_crash" });
  const id = await rig.createExportId();
  await rig.complete(id);
  await rig.call("POST", "/threads", { surplus: 1 });
  await emulator.control("PUT", "/rate-limits/runs_query_key", { remaining: 0 });
  await rig.call("POST", "/runs/query", { session: [rig.prepared.projectId] });
  await emulator.control("POST", "/snapshots", { name: "kept" });
  const pictureLooks: Record<string, Look> = {};
  const addresses = ["time", "exports", `exports/${id}`, "storage/traces", "limits", "faults", "requests"];
  addresses.push("worlds");
  const page = await openAt(emulator.url, "#/time");
  // Other views show turns too.
  await timeIsWhole(page, emulator);
  const picture = async (colorScheme: "light" | "dark") => {
    await page.emulateMedia({ colorScheme });
    const png = await page.screenshot({ animations: "disabled", caret: "hide" });
    return png.toString("base64");
  };
  for (const address of addresses) {
    await show(page, emulator.url, `#/${address}`);
    if (address === "time") await axisStands(page, emulator);
    const elements = (await page.locator("body").ariaSnapshot()).replaceAll(emulator.url, "");
    pictureLooks[address] = { elements, light: await picture("light"), dark: await picture("dark") };
  }
  return pictureLooks;
}

/** Waits until the axis has drawn what was read of the world over its whole width, and the list shows its last turn. */
async function axisStands(page: Page, emulator: Emulator): Promise<void> {
  await timeIsWhole(page, emulator);
  await page.locator(".axis .bar").first().waitFor();
  await page.waitForFunction(() => {
    const [box, list] = [".axis-box", "[aria-label=Turns]"].map((each) => document.querySelector(each));
    if (!box || !list) return false;
    const isRead = document.querySelector(".now-time")?.textContent !== "…";
    const isWide = box.querySelector("svg")?.getAttribute("width") === String(box.clientWidth);
    const [first] = list.querySelectorAll("[role=listitem]");
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
    // Rows far above the visible part are no longer drawn once the position is known.
    const isDrawn =
      first !== undefined && list.getBoundingClientRect().top - first.getBoundingClientRect().top < 400;
    return isRead && isWide && isAtEnd && isDrawn;
  });
}

/**
 * The greatest difference between two pictures (0 to 255), by fields of 16 by 16 pixels: edges that are drawn a
 * little softer make none that counts, a box in another place does.
 */
async function differenceOf(page: Page, one: string, other: string): Promise<number> {
  if (one === other) return 0;
  return page.evaluate(
    async (pictures) => {
      const fields = await Promise.all(
        pictures.map(async (picture) => {
          const image = new Image();
          image.src = `data:image/png;base64,${picture}`;
          await image.decode();
          const canvas = new OffscreenCanvas(Math.ceil(image.width / 16), Math.ceil(image.height / 16));
          const context = canvas.getContext("2d");
          if (!context) throw new Error("no canvas");
          context.imageSmoothingQuality = "high";
          context.drawImage(image, 0, 0, canvas.width, canvas.height);
          return context.getImageData(0, 0, canvas.width, canvas.height).data;
        }),
      );
      const [a = new Uint8ClampedArray(), b = new Uint8ClampedArray()] = fields;
      if (a.length !== b.length) return 255;
      return a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] ?? 0))), 0);
    },
    [one, other] as const,
  );
}

const NOTICED = 24;

// Two worlds, eight views and two colour schemes: seconds of drawing.
describe.runIf(hasChromium)("the pictures of the main views", () => {
  it("are the same for the same seed, clock and requests, and differ where something does", async () => {
    const [first, second] = [await looks(), await looks()];
    expect(Object.keys(second)).toHaveLength(8);
    const page = await openBlank();
    for (const [name, { elements, light, dark }] of Object.entries(second)) {
      const before = first[name];
      if (!before) throw new Error(`${name} has another address`);
      expect(elements, name).toBe(before.elements);
      expect(await differenceOf(page, before.light, light), name).toBeLessThan(NOTICED);
      expect(await differenceOf(page, before.dark, dark), `${name} dark`).toBeLessThan(NOTICED);
    }
    const { exports, limits } = first;
    if (!exports || !limits) throw new Error("a view is missing");
    for (const other of [limits.light, exports.dark])
      expect(await differenceOf(page, exports.light, other)).toBeGreaterThan(2 * NOTICED);
  });
});
