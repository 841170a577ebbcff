import { describe, expect, it } from "vitest";
import type { ParquetPage } from "../../../emulator/subjects/object-storage/parquet-page.ts";
import { findings, show, timeIsWhole, useBrowser } from "../../console/browser.ts";
import { startExportRig } from "../../support/emulator.ts";
import { useRig } from "../../support/use-rig.ts";
import { hasChromium } from "../browser/chromium.ts";

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

it.skipIf(!hasChromium)("Back returns the focus to the link that led away", async () => {
  await rig.createExportId();
  const page = await openAt(rig.emulator.url, "#/exports");
  const link = page.getByRole("region", { name: "Exports" }).getByRole("link").first();
  const href = await link.getAttribute("href");
  await link.press("Enter");
  await page.getByRole("heading", { level: 1, name: "CREATED" }).waitFor();
  await page.goBack();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("href"));
  await expect.poll(focused).toBe(href);
});

it.skipIf(!hasChromium)("explains a term on hover and while it has the focus", async () => {
  const page = await openAt(rig.emulator.url, "#/time");
  const explanation = page.getByText("One step of the world:");
  const term = page.getByRole("note").filter({ hasText: "Turns" });
  expect(await explanation.isVisible()).toBe(false);
  await term.hover();
  await explanation.waitFor();
  await page.mouse.move(0, 0);
  await explanation.waitFor({ state: "hidden" });
  await term.focus();
  await explanation.waitFor();
  expect(await findings(page)).toEqual([]);
});

it.skipIf(!hasChromium)("a page of something that does not exist has a heading", async () => {
  const unknown = "00000000-0000-4000-8000-00000000dead";
  const page = await openAt(rig.emulator.url, `#/exports/${unknown}`);
  for (const view of ["exports", "runs", "webhooks"]) {
    await show(page, rig.emulator.url, `#/${view}/${unknown}`);
    await page.getByRole("alert").waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
  }
});

describe.skipIf(!hasChromium)("the rows of a file", () => {
  async function openFirstFile() {
    await rig.complete(await rig.createExportId());
    const { objects } = await rig.emulator.control<{ objects: { key: string }[] }>(
      "GET",
      "/s3/buckets/traces/objects",
    );
    const key = encodeURIComponent(objects.find((object) => object.key.endsWith(".parquet"))?.key ?? "");
    const file = await rig.emulator.control<ParquetPage>(
      "GET",
      `/s3/buckets/traces/parquet?key=${key}&limit=500`,
    );
    const page = await openAt(rig.emulator.url, `#/file/traces?key=${key}&offset=2`);
    const rows = page.getByRole("region", { name: "Rows", exact: true });
    await rows.waitFor();
    return { page, rows, file };
  }

  it("have telling columns first, and a choice of columns", async () => {
    const { page, rows } = await openFirstFile();
    const headings = () => rows.getByRole("columnheader").allTextContents();
    await expect.poll(headings).toEqual(expect.arrayContaining(["id", "inputs"]));
    expect((await headings()).slice(0, 4)).toEqual(["id", "name", "run_type", "status"]);
    await page.getByText(/^Columns: /).click();
    await page.getByRole("checkbox", { name: "name", exact: true }).uncheck();
    await expect.poll(async () => (await headings()).slice(0, 3)).toEqual(["id", "run_type", "status"]);
    expect(new URL(page.url()).hash).toContain("hide=name");
    expect(await findings(page)).toEqual([]);
  });

  it("are sorted by a click on a heading and searched, from the first page", async () => {
    const { page, rows, file } = await openFirstFile();
    const ids = file.rows.map(({ id }) => String(id)).sort();
    const viewOf = () => rows.locator("tbody tr td:first-child").allTextContents();
    const sort = () => rows.getByRole("button", { name: "id", exact: true }).click();
    const search = page.getByRole("searchbox", { name: "Search: Rows" });
    await search.fill(String(ids[1]).toUpperCase());
    await expect.poll(viewOf).toContain(ids[1]);
    await page
      .getByRole("status")
      .getByText(/^Rows 1 to (\d+) of \1 matching, \d+ in total$/)
      .waitFor();
    const results = await viewOf();
    await page.reload();
    await expect.poll(viewOf).toEqual(results);
    await search.fill("");
    await expect.poll(async () => (await viewOf()).length).toBeGreaterThan(results.length);
    await page.evaluate(() => {
      window.location.hash += "&offset=2";
    });
    await page.getByText("Rows 3 to").waitFor();
    await sort();
    await expect.poll(viewOf).toEqual(ids.slice(0, 50));
    await rows.locator("th[aria-sort=ascending]").waitFor();
    await sort();
    await expect.poll(viewOf).toEqual(ids.toReversed().slice(0, 50));
    expect(await findings(page)).toEqual([]);
  });
});

it.skipIf(!hasChromium)("a hidden tab sends no requests, and catches up when it is shown", async () => {
  const page = await openAt(rig.emulator.url, "#/time");
  await timeIsWhole(page, rig.emulator);
  const setHidden = (value: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, value);
  let requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const requestsUntilReply = async () => {
    await page.evaluate(() => fetch("/_emulator/v1/clock"));
    const before = requests;
    requests = [];
    return before;
  };
  const closed = page.waitForEvent("requestfailed", (request) => request.url().includes("/status?follow=1"));
  await setHidden(true);
  await closed;
  // The page may still request turns that it had read about before it was hidden.
  await expect.poll(requestsUntilReply).toEqual(["/_emulator/v1/clock"]);
  for (let count = 0; count < 3; count += 1) await rig.call("POST", "/threads", {});
  // A page that followed would have sent one before this request.
  expect(await requestsUntilReply()).toEqual(["/_emulator/v1/clock"]);
  await setHidden(false);
  await timeIsWhole(page, rig.emulator);
});

it.skipIf(!hasChromium)("bidirectional controls of names are visible, and long names wrap", async () => {
  const longWord = "x".repeat(300);
  const { body } = await rig.call<{ id: string }>("POST", "/sessions", { name: `safe\u202efdp.${longWord}` });
  await rig.createExportId({ session_id: body.id });
  const page = await openAt(rig.emulator.url, "#/exports");
  const name = page.getByRole("cell", { name: `safe‹U+202E›fdp.${longWord}` });
  await name.waitFor();
  expect(await page.locator("body").textContent()).not.toMatch(/\p{Bidi_Control}/u);
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const box = await name.boundingBox();
    expect(box?.width).toBeLessThan(600);
    expect(box?.height).toBeGreaterThan(50);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    expect(await findings(page)).toEqual([]);
  }
});
