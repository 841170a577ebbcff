import { describe, expect, it, onTestFinished } from "vitest";
import type { EmulatorOptions } from "../../../emulator/runtime/index.ts";
import { findings, show, useBrowser } from "../../console/browser.ts";
import { startExportRig } from "../../support/emulator.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt } = useBrowser();

/** An emulator with an export, and a page of its console. */
async function rigAndPage(address: string, options: EmulatorOptions = {}) {
  const rig = await startExportRig(options);
  onTestFinished(() => rig.close());
  const id = await rig.createExportId();
  const page = await openAt(rig.emulator.url, address);
  const click = (name: string) => page.getByRole("button", { name, exact: true }).click();
  return {
    ...{ rig, id, page, click },
    async act(name: string) {
      await click(name);
      await page.getByText(`${name}: done.`).waitFor();
    },
    /** Undoes the last action in its message. */
    async undo(name: string) {
      await page
        .locator(".bands")
        .getByRole("button", { name: `Undo: ${name}`, exact: true })
        .click();
      await page.getByText(`Undo: ${name}: done.`).waitFor();
    },
  };
}

const bucketNames = async (rig: Awaited<ReturnType<typeof startExportRig>>) =>
  (await rig.emulator.control<{ name: string }[]>("GET", "/s3/buckets")).map(({ name }) => name);

describe.skipIf(!hasChromium)("an action in the console is undone", () => {
  it("when it deleted a bucket, or advanced the clock", async () => {
    const { rig, id, page, act, undo, click } = await rigAndPage("#/storage");
    await act("Advance");
    expect(await rig.statusOf(id)).toBe("COMPLETED");
    await undo("Advance");
    expect(await rig.statusOf(id)).toBe("CREATED");
    await click("Advance");
    await page.getByText("Advance: done. ").waitFor();
    await page.locator(".band").getByRole("link", { name: "1 export completed", exact: true }).click();
    await page.getByRole("heading", { name: "COMPLETED", exact: true }).waitFor();
    await page.getByRole("link", { name: "Storage", exact: true }).click();
    await act("Delete the bucket traces");
    expect(await bucketNames(rig)).toEqual([]);
    expect(await findings(page)).toEqual([]);
    await undo("Delete the bucket traces");
    expect((await rig.verify(id)).ok).toBe(true);
    await click("Next event");
    await page.getByText("Next event: nothing is due, so the clock stays where it is.").waitFor();
  });

  it("when it removed every fault, or loaded a snapshot", async () => {
    const { rig, id, page, act, undo } = await rigAndPage("#/faults");
    await rig.arm({ preset: "worker_crash" });
    await act("Remove all faults");
    await undo("Remove all faults");
    expect(await rig.emulator.control<unknown[]>("GET", "/faults")).toHaveLength(1);

    await rig.emulator.control("POST", "/snapshots", { name: "first" });
    await rig.complete(id);
    await page.getByRole("link", { name: "Worlds", exact: true }).click();
    await act("Load first into main");
    expect(await rig.statusOf(id)).toBe("CREATED");
    await undo("Load first into main");
    expect(await rig.statusOf(id)).toBe("COMPLETED");
  });

  it("when it removed a world, and asks first if that is impossible", async () => {
    const { rig, id, page, act, undo, click } = await rigAndPage("#/worlds", { limits: { snapshots: 1 } });
    const fork = await rig.emulator.fork({ id: "other" });
    const statusIn = async () => (await fork.request(`/api/v1/bulk-exports/${id}`)).status;
    await page.getByRole("link", { name: "Time", exact: true }).click();
    await page.getByRole("link", { name: "Worlds", exact: true }).click();
    await act("Remove the world other");
    await undo("Remove the world other");
    expect(await statusIn()).toBe(200);

    await rig.emulator.control("DELETE", "/snapshots/undo-other");
    await rig.emulator.control("POST", "/snapshots", { name: "full" });
    await click("Remove the world other");
    await page.getByText("Remove the world other: this cannot be undone.").waitFor();
    await click("Do not: Remove the world other");
    expect(await statusIn()).toBe(200);
    await click("Remove the world other");
    await click("Remove the world other anyway");
    await page.getByText("Remove the world other: done.").waitFor();
    expect(await page.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
    expect(await statusIn()).toBe(404);
  });

  it("only as far as the history reaches, and a link to an earlier turn says so", async () => {
    const limits = { history_turns: 2, journal_turns: 5 };
    const { rig, page, act } = await rigAndPage("#/storage", { limits });
    await act("Advance");
    expect(await page.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
    await page.reload();
    await show(page, rig.emulator.url, "#/time?turn=1");
    await page.getByText(/^Turn 1 is no longer kept: the journal begins with turn \d+\./).waitFor();
  });
});
