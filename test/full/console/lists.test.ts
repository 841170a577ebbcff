import { beforeAll, describe, expect, it } from "vitest";
import { timeIsWhole, turnsIn, useBrowser } from "../../console/browser.ts";
import { startExportRig } from "../../support/emulator.ts";
import { useRig } from "../../support/use-rig.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt } = useBrowser();
const rig = useRig("file", () => startExportRig());

const THREADS = 103;
let thread = "";

beforeAll(async () => {
  if (!hasChromium) return;
  for (let count = 0; count < THREADS; count += 1) {
    const { body } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
    thread = body.thread_id;
    await rig.call("POST", `/threads/${thread}/runs`, {
      assistant_id: "agent",
      webhook: "/_emulator/inbox/a",
    });
    await rig.emulator.control("POST", "/faults", { target: "webhook", match: {}, then: { status: 500 } });
    await rig.createExportId();
  }
  await rig.emulator.control("DELETE", "/faults");
  await rig.arm({ preset: "worker_crash" });
  await rig.cancel(await rig.createExportId());
  await rig.advance("PT5M");
  await rig.advance("PT1H");
});

/** Lists with more than 100 items: the view, the list, its table, and a filter with a value. */
const LISTS = [
  ["exports", "Exports", "Status", "CANCELLED", 1],
  ["runs", "Runs", "Status", "success", 103],
  ["runs", "Threads", null, null, 103],
  ["webhooks", "Deliveries", "Status", "delivered", 103],
  ["requests", "Requests", "Method", "PATCH", 1],
] as const;

describe.skipIf(!hasChromium)("a list of more than 100 items", () => {
  it.each(LISTS)("of %s (%s) shows its total, loads more, and is filtered by %s", async (...row) => {
    const [view, name, filter, value, matching] = row;
    const page = await openAt(rig.emulator.url, `#/${view}`);
    const list = page.getByRole("region", { name: `List: ${name}`, exact: true });
    const items = list.locator("tbody tr, .requests > li");
    await list.getByText(/^newest 100 of (1|[2-9])\d\d$/).waitFor();
    const total = Number((await list.getByRole("status").textContent())?.replace("newest 100 of ", ""));
    expect(total).toBeGreaterThan(100);
    expect(await items.count()).toBe(100);
    for (let count = 100; count < total; count += 100) {
      await list.getByRole("button", { name: /^Show \d+ more$/ }).click();
      await expect.poll(() => items.count()).toBe(Math.min(total, count + 100));
    }
    await list.getByText(String(total), { exact: true }).waitFor();
    if (filter === null) return;
    await list.getByLabel(filter, { exact: true }).selectOption(value);
    await expect.poll(() => items.count()).toBe(matching);
    expect(new URL(page.url()).hash).toContain(`=${value}`);
  });

  it("is searched by text", async () => {
    const page = await openAt(rig.emulator.url, "#/runs");
    const list = page.getByRole("region", { name: "List: Threads", exact: true });
    await list.getByRole("searchbox", { name: "Search: Threads" }).fill(thread.toUpperCase());
    await list.getByText(`1 matching, ${THREADS} in total`).waitFor();
    expect(await list.locator("tbody tr").count()).toBe(1);
    await list.getByRole("link", { name: thread, exact: true }).waitFor();
  });
});

describe.skipIf(!hasChromium)("the lists of", () => {
  it("faults: by target; objects: by a part of the key, in every folder", async () => {
    const page = await openAt(rig.emulator.url, "#/faults?kind=worker");
    await page
      .getByRole("region", { name: "List: Faults", exact: true })
      .getByText("1", { exact: true })
      .waitFor();
    await page.goto(`${rig.emulator.url}/_emulator/console/#/storage/traces`);
    const { total } = await rig.emulator.control<{ total: number }>("GET", "/s3/buckets/traces/objects");
    expect(total).toBeGreaterThan(100);
    await page.getByText(`${total} objects, with those in folders`).waitFor();
    await page.getByRole("searchbox", { name: "Search: Objects" }).fill(".PARQUET");
    await page.getByText(/^first 100 entries; \d+ matching of \d+ objects/).waitFor();
    await page.getByRole("button", { name: "Show 100 more", exact: true }).click();
    await page.getByText(/^first 200 entries; /).waitFor();
  });

  it("turns: by kind, and by a text in the subject", async () => {
    const page = await openAt(rig.emulator.url, "#/time");
    await timeIsWhole(page, rig.emulator);
    const journal = page.getByRole("region", { name: "Journal" });
    await journal.getByRole("searchbox", { name: "Search: Turns" }).fill('"createThread"');
    await journal.getByText(new RegExp(`^${THREADS} matching of `)).waitFor();
    await journal.getByLabel("Kind").selectOption("event");
    await journal.getByText(/^0 matching of /).waitFor();
    expect(await turnsIn(page).count()).toBe(0);
  });
});
