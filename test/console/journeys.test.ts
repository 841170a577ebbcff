import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import type { ParquetPage } from "../../emulator/subjects/object-storage/parquet-page.ts";
import { hasChromium } from "../browser/chromium.ts";
import { isFull } from "../support/depth.ts";
import { type ExportRig, type Rig, startExportRig, startRig } from "../support/emulator.ts";
import { copied, show, timeIsWhole, toView, useBrowser } from "./browser.ts";

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

/** The files of an export, and the rows of the first. */
async function firstFile(rig: Rig, id: string) {
  const prefix = encodeURIComponent(`exports/export_id=${id}/`);
  const { objects } = await rig.emulator.control<{ objects: { key: string }[] }>(
    "GET",
    `/s3/buckets/traces/objects?prefix=${prefix}`,
  );
  const key = encodeURIComponent(objects[0]?.key ?? "");
  const path = `/s3/buckets/traces/parquet?key=${key}&limit=500`;
  return { key, ...(await rig.emulator.control<ParquetPage>("GET", path)) };
}

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

  it.runIf(isFull)("finds the form of a new export filled in by the clock, at its address", async () => {
    const rig = await withExports();
    const page = await openAt(rig.emulator.url, "#/exports/new");
    const values = [/^From /, /^To /].map((name) => page.getByRole("textbox", { name }).inputValue());
    expect(await Promise.all(values)).toEqual(["2026-02-22T00:00:00Z", "2026-03-02T00:00:00Z"]);
  });

  it.runIf(isFull)("goes from a day of the calendar to its run, and sends its address", async () => {
    const rig = await withExports();
    const id = await rig.createExportId({ start_time: "2026-02-20T00:00:00Z" });
    await rig.complete(id);
    const page = await openAt(rig.emulator.url, `#/exports/${id}`);
    const fold = page.locator("summary", { hasText: "5 runs without rows" });
    await fold.waitFor();
    const run = (day: string, on = page) => on.locator("summary", { hasText: day }).first();
    expect(await run("2026-02-25").isVisible()).toBe(true);
    expect(await run("2026-02-21").isVisible()).toBe(false);
    const day = page.getByRole("link", { name: /02-21/ });
    await day.click();
    await page.waitForFunction(() => document.activeElement?.textContent?.includes("2026-02-21"));
    expect(await run("2026-02-21").isVisible()).toBe(true);
    await fold.click();
    await run("2026-02-21").waitFor({ state: "hidden" });
    await day.click();
    await run("2026-02-21").waitFor();
    const colleague = await openAt(rig.emulator.url, new URL(page.url()).hash);
    await run("2026-02-21", colleague).waitFor();
  });

  it.runIf(isFull)("learns why a row is missing", async () => {
    const rig = await withExports();
    const whole = await rig.createExportId();
    await rig.complete(whole);
    const row = (await firstFile(rig, whole)).rows.find(({ run_type }) => run_type !== "llm");
    const filtered = await rig.createExportId({ filter: 'eq(run_type, "llm")' });
    await rig.complete(filtered);
    const page = await openAt(rig.emulator.url, `#/exports/${filtered}`);
    await page.getByRole("link", { name: "Why is a row missing?", exact: true }).click();
    await page.getByLabel("Id of the row").fill(String(row?.id));
    await button(page, "Why?").click();
    await page.getByText("It is not in the export").waitFor();
    await page.locator(".way .stopped", { hasText: "Filter: stopped here" }).waitFor();
    expect(await page.locator(".way .stopped").count()).toBe(1);
    // From a row of a file to its way into the export of that file.
    const { key, rows } = await firstFile(rig, whole);
    await show(page, rig.emulator.url, `#/file/traces?key=${key}`);
    await page.getByRole("link", { name: String(rows[0]?.id), exact: true }).click();
    await page.getByText("It is in the export").waitFor();
    expect(new URL(page.url()).hash).toContain(`/why/${whole}?`);
  });

  it.runIf(isFull)("checks an exchange, and shares the address of the view", async () => {
    const rig = await fromNothing();
    await rig.call("GET", "/threads/00000000-0000-4000-8000-00000000dead");
    await rig.call("POST", "/threads", { surplus: 1 });
    const page = await openAt(rig.emulator.url, "#/requests");
    const requests = page.locator(".requests summary");
    await requests.nth(1).waitFor();
    await page.getByLabel("Show").selectOption("refused");
    await requests.filter({ hasText: "404" }).click();
    await button(page, "Check against the contract").click();
    await page.getByText("PASS: the exchange keeps the contract").waitFor();
    await page.getByLabel("Show").selectOption("beyond");
    await requests.filter({ hasText: "sent beyond" }).waitFor();
    const colleague = await openAt(rig.emulator.url, new URL(page.url()).hash);
    await colleague.locator(".requests summary", { hasText: "sent beyond" }).waitFor();
    expect(await colleague.locator(".requests summary").count()).toBe(1);
  });

  it.runIf(isFull)("has a webhook sent again", async () => {
    const rig = await fromNothing();
    const { body } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
    await rig.call("POST", `/threads/${body.thread_id}/runs`, {
      assistant_id: "agent",
      webhook: "/_emulator/inbox/hooks",
    });
    await rig.emulator.clock.advance("PT5S");
    const page = await openAt(rig.emulator.url, "#/webhooks");
    await page.locator("section[aria-label=Deliveries] a").first().click();
    await heading(page, "delivered").waitFor();
    await button(page, "Redeliver").click();
    await page.getByText("Sent again after").waitFor();
    await heading(page, "delivered").waitFor();
    await page.getByRole("navigation", { name: "Path" }).getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("link", { name: "hooks 2" }).click();
    await page.locator("section[aria-label=Inboxes] details").nth(1).waitFor();
  });

  it.runIf(isFull)("shows when a thread expires", async () => {
    const rig = await fromNothing();
    await rig.call("POST", "/threads", { ttl: { ttl: 60 } });
    const page = await openAt(rig.emulator.url, "#/runs");
    const threads = page.locator("section[aria-label=Threads]");
    await threads.getByRole("columnheader", { name: "Expires" }).waitFor();
    await threads.locator("time[datetime^='2026-03-01T01:00:00']").waitFor();
    await rig.emulator.clock.advance("PT1H");
    await page.getByText("No thread yet.").waitFor();
  });

  it.runIf(isFull)("trips a limit and releases it", async () => {
    const rig = await fromNothing();
    const status = async () => (await rig.call("POST", "/runs/query", { session: [] })).status;
    const page = await openAt(rig.emulator.url, "#/limits");
    await page.locator("summary", { hasText: "All rows" }).click();
    await button(page, "Trip runs_query_key").click();
    await page
      .getByText(/tripped until/)
      .first()
      .waitFor();
    expect(await status()).toBe(429);
    await page.getByText("Refused last:").waitFor();
    const cell = (name: string) => page.getByRole("cell", { name, exact: true });
    const meters = page
      .locator("section[aria-label=Meters] tbody tr")
      .filter({ has: cell("runs_query_key") });
    const meter = (region: string) => meters.filter({ has: cell(region) });
    await meter("us").locator(".meter.bad").waitFor();
    await button(page, "Release runs_query_key in us").click();
    await meter("us").waitFor({ state: "detached" });
    await meter("eu")
      .getByText(/tripped until/)
      .waitFor();
    expect(await status()).not.toBe(429);
    await button(page, "Reset every counter").click();
    await page.getByText("No requests are counted at present.").waitFor();
    expect(await status()).not.toBe(429);
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

  it.runIf(isFull)("sees in one tab what is done in another", async () => {
    const rig = await withExports();
    const [one, other] = await Promise.all([
      openAt(rig.emulator.url, "#/exports"),
      openAt(rig.emulator.url, "#/exports"),
    ]);
    await one.getByRole("link", { name: "New export", exact: true }).click();
    await button(one, "Create the export").click();
    await heading(one, "CREATED").waitFor();
    await other.locator("section[aria-label=Exports] tbody tr", { hasText: "CREATED" }).waitFor();
    await button(one, "Advance to COMPLETED").click();
    await other.locator("section[aria-label=Exports] tbody tr", { hasText: "COMPLETED" }).waitFor();
  });
});
