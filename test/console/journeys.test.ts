import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { hasChromium } from "../full/browser/chromium.ts";
import { type ExportRig, type Rig, startExportRig, startRig } from "../support/emulator.ts";
import { copied, timeIsWhole, toView, useBrowser } from "./browser.ts";

const rigs: Rig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

// Its pages close before the emulators that they show.
const { openAt } = useBrowser();

async function withExports(): Promise<ExportRig> {
  const rig = await startExportRig();
  rigs.push(rig);
  return rig;
}

async function fromNothing(): Promise<Rig> {
  const rig = await startRig();
  rigs.push(rig);
  return rig;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1, exact: true });

describe.skipIf(!hasChromium)("in the console a person", () => {
  it("makes a first export from nothing, has it completed, and reads its rows", async () => {
    const rig = await fromNothing();
    const page = await openAt(rig.emulator.url, "#/exports");
    await page.getByRole("link", { name: "New export", exact: true }).click();
    await button(page, "Generate sample traces").click();
    await page.getByText("There is a project.").waitFor();
    await button(page, "Create a destination").click();
    await page.getByLabel("Filter").fill("eq(run_typ, 1)");
    await page.getByText("Did you mean run_type?").waitFor();
    await page.getByLabel("Filter").fill('neq(run_type, "nothing")');
    await page.getByText("A filter that exports take.").waitFor();
    await button(page, "Create the export").click();
    await heading(page, "CREATED").waitFor();
    await button(page, "Advance to COMPLETED").click();
    await heading(page, "COMPLETED").waitFor();
    await button(page, "Verify the files").click();
    await page.getByText(/Files match the traces: \d+ rows/).waitFor();
    await page
      .getByRole("link", { name: /part-00000\.parquet$/ })
      .first()
      .click();
    await heading(page, "Rows of a file").waitFor();
    await page.locator("section[aria-label=Rows] tbody tr").first().waitFor();
  });

  it("drops a snapshot file, and loads it", async () => {
    const rig = await fromNothing();
    await rig.call("POST", "/threads", { thread_id: "00000000-0000-4000-8000-00000000abcd" });
    await rig.emulator.control("POST", "/snapshots", { name: "kept" });
    const file = await fetch(`${rig.emulator.url}/_emulator/v1/snapshots/kept/file`);
    const buffer = Buffer.from(await file.arrayBuffer());
    await rig.emulator.control("DELETE", "/snapshots/kept");
    await rig.call("DELETE", "/threads/00000000-0000-4000-8000-00000000abcd");
    const page = await openAt(rig.emulator.url, "#/worlds");
    const drop = page.locator("label", { hasText: "Import a snapshot" }).locator("input");
    await drop.setInputFiles({ name: "kept.tar.gz", mimeType: "application/gzip", buffer });
    await page.getByText("Import kept.tar.gz: done.").waitFor();
    const imported = "Import kept.tar.gz: copy";
    const path = `${rig.emulator.url}/_emulator/v1/snapshots/file`;
    expect(await copied(page, imported, "curl")).toBe(
      `curl -s -X POST '${path}' -H 'content-type: application/gzip' --data-binary '@kept.tar.gz'`,
    );
    expect(await copied(page, imported, "TypeScript")).toBe(
      'await emulator.snapshots.import("kept.tar.gz");',
    );
    expect(await copied(page, "Import a snapshot: copy", "scenario step")).toContain(
      "emulator snapshot import 'kept.tar.gz'",
    );
    await button(page, "Load kept into main").click();
    await page.getByText("Load kept into main: done.").waitFor();
    expect((await rig.call("GET", "/threads/00000000-0000-4000-8000-00000000abcd")).status).toBe(200);
    await page.locator(".clock-bar .pill", { hasText: "live" }).waitFor();
  });

  it("arms a crash in the past, plays it, and compares the two worlds", async () => {
    const rig = await withExports();
    const id = await rig.createExportId();
    await rig.complete(id);
    const page = await openAt(rig.emulator.url, "#/time");
    await timeIsWhole(page, rig.emulator);
    const due = page.getByRole("listitem").filter({ hasText: "export.due" });
    await due.getByRole("button").click();
    await button(page, "Show the world as of this turn").click();
    await page.getByText("every view shows the earlier state").waitFor();
    await toView(page, "Exports");
    await page.getByRole("link", { name: id.slice(0, 8), exact: true }).click();
    await heading(page, "RUNNING").waitFor();
    await button(page, "Back to now").click();
    await heading(page, "COMPLETED").waitFor();
    await toView(page, "Time");
    // Events of the same instant follow: a fork from here would run them before a fault can be armed.
    const written = page.getByRole("listitem").filter({ hasText: "export.write_file" }).first();
    await written.getByRole("button").click();
    await page
      .getByRole("button", { name: /^Fork before turn \d+, with which its instant begins, and arm a fault$/ })
      .click();
    await page.waitForURL(/\/w\/[^/]+\/_emulator\/console\/#\/faults\?target=worker/);
    const match = await page.getByLabel("Where (match, JSON)").inputValue();
    expect(JSON.parse(match)).toEqual({ run: expect.any(String) });
    await button(page, "Arm worker_crash").click();
    await page.getByText("Arm worker_crash: done.").waitFor();
    await toView(page, "Exports");
    await page.getByRole("link", { name: id.slice(0, 8), exact: true }).click();
    await button(page, "Advance to COMPLETED").click();
    await heading(page, "COMPLETED").waitFor();
    await toView(page, "Worlds");
    await page.getByRole("link", { name: "Compare with main" }).click();
    const row = page.locator("section[aria-label='Exports of both'] tbody tr");
    await row.getByText("differs").waitFor();
    await page.getByText("They part at turn").waitFor();
    expect(await row.textContent()).toMatch(/1 failed attempt.*0 failed attempts.*differs/);
  });
});
