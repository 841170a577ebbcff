import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import type { ParquetPage } from "../../../emulator/subjects/object-storage/parquet-page.ts";
import { show, useBrowser } from "../../console/browser.ts";
import { type ExportRig, HEADERS, type Rig, startExportRig, startRig } from "../../support/emulator.ts";
import { hasChromium } from "../browser/chromium.ts";

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
  it("finds the form of a new export filled in by the clock, at its address", async () => {
    const rig = await withExports();
    const page = await openAt(rig.emulator.url, "#/exports/new");
    const values = [/^From /, /^To /].map((name) => page.getByRole("textbox", { name }).inputValue());
    expect(await Promise.all(values)).toEqual(["2026-02-22T00:00:00Z", "2026-03-02T00:00:00Z"]);
  });

  it("goes from a day of the calendar to its run, and sends its address", async () => {
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

  it("learns why a row is missing", async () => {
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

  it("checks an exchange, and shares the address of the view", async () => {
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

  it("has a webhook sent again", async () => {
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

  it("shows when a thread expires", async () => {
    const rig = await fromNothing();
    await rig.call("POST", "/threads", { ttl: { ttl: 60 } });
    const page = await openAt(rig.emulator.url, "#/runs");
    const threads = page.locator("section[aria-label=Threads]");
    await threads.getByRole("columnheader", { name: "Expires" }).waitFor();
    await threads.locator("time[datetime^='2026-03-01T01:00:00']").waitFor();
    await rig.emulator.clock.advance("PT1H");
    await page.getByText("No thread yet.").waitFor();
  });

  it("sees numbers with the digits, and names in the order, in which they were sent", async () => {
    const rig = await fromNothing();
    const { body } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
    const input = '{"b":9007199254740993,"10":10.0}';
    const reply = await fetch(`${rig.emulator.url}/threads/${body.thread_id}/runs`, {
      method: "POST",
      headers: HEADERS,
      body: `{"assistant_id":"agent","input":${input}}`,
    });
    const run = (await reply.json()) as { run_id: string };
    const page = await openAt(rig.emulator.url, `#/runs/${run.run_id}`);
    const document = page.locator("pre.json").filter({ hasText: "9007199254740993" }).first();
    await document.waitFor({ state: "attached" });
    expect((await document.textContent())?.replace(/\s/g, "")).toContain(input);
  });

  it("trips a limit and releases it", async () => {
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

  it("sees in one tab what is done in another", async () => {
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
