import { statfsSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { resolveConfiguration } from "../../../emulator/config/resolve.ts";
import { type RunningEmulator, start } from "../../../emulator/runtime/start.ts";
import { useBrowser } from "../../console/browser.ts";
import { replaceFileFunctions } from "../../support/file-functions.ts";
import { hasChromium } from "../browser/chromium.ts";

const disk = { isFull: false };
const statistics = statfsSync;
replaceFileFunctions({
  statfsSync: (path: string) => ({ ...statistics(path), ...(disk.isFull && { bavail: 0 }) }),
});

const opened: RunningEmulator[] = [];

afterEach(async () => {
  disk.isFull = false;
  for (const running of opened.splice(0)) await running.close();
});

// Its pages close before the emulators that they show.
const { openAt } = useBrowser();

async function running(clock: "frozen" | "flowing"): Promise<RunningEmulator> {
  const options = { port: 0, ephemeral: true, clock };
  const resolution = await resolveConfiguration({ cwd: "/", options });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  const emulator = await start(resolution.configuration);
  opened.push(emulator);
  return emulator;
}

const band = (page: Page, text: string) => page.locator(".band", { hasText: text });

describe.skipIf(!hasChromium)("the console says above every view", () => {
  it("that the emulator does not answer, and finds it no more by itself than by hand", async () => {
    const emulator = await running("flowing");
    const page = await openAt(emulator.ready.url, "#/exports", { isLost: true });
    expect(await band(page, "does not answer").count()).toBe(0);
    await emulator.close();
    await band(page, "The emulator does not answer; what is shown was so when it last did.").waitFor();
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await band(page, "does not answer").waitFor();
  });

  it("that a defect has ended the world, and which", async () => {
    const emulator = await running("flowing");
    const page = await openAt(emulator.ready.url, "#/exports", { isLost: true });
    emulator.world("main")?.runtime.world.end(new Error("a broken invariant"));
    await band(page, "This world answers no more: ").filter({ hasText: "a broken invariant" }).waitFor();
  });

  it("that the disk is full, until there is room again", async () => {
    disk.isFull = true;
    const emulator = await running("frozen");
    const page = await openAt(emulator.ready.url, "#/time");
    await band(page, "The disk is full: new data is refused, and nothing is lost.").waitFor();
    // The band with the button is removed as soon as a status says that there is room.
    await page.getByRole("button", { name: "Reset the world", exact: true }).click();
    await band(page, "Reset the world: this cannot be undone.").waitFor();
    await page.getByRole("button", { name: "Reset the world anyway", exact: true }).click();
    await band(page, "Reset the world: done.").waitFor();
    disk.isFull = false;
    await page.getByRole("button", { name: "Let it flow", exact: true }).click();
    await band(page, "The disk is full").waitFor({ state: "detached" });
  });

  it("that the clock stands still, until it flows or that was read", async () => {
    const emulator = await running("frozen");
    const page = await openAt(emulator.ready.url, "#/time");
    const still = band(page, "The clock stands still");
    await still.waitFor();
    await page.getByRole("button", { name: "Let it flow", exact: true }).click();
    await still.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Freeze", exact: true }).click();
    await still.getByRole("button", { name: "Dismiss this message", exact: true }).click();
    await still.waitFor({ state: "detached" });
    await page.locator(".pill", { hasText: "frozen" }).waitFor();
  });
});
