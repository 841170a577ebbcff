import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { show, useBrowser } from "../../console/browser.ts";
import { DESTINATION, HEADERS, startExportRig } from "../../support/emulator.ts";
import { useRig } from "../../support/use-rig.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt } = useBrowser();
const rig = useRig("file", () => startExportRig());

const TURNS = 3_000;

const EVIL = `<img src=x onerror="document.title='injected'"><script>alert(1)</script>`;

/** Stores the text in every field that the console shows. */
async function storeEverywhere(): Promise<readonly string[]> {
  const { body: project } = await rig.call<{ id: string }>("POST", "/sessions", { name: EVIL });
  const { body: destination } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", {
    ...DESTINATION,
    display_name: EVIL,
    config: { ...DESTINATION.config, prefix: `evil ${EVIL.replaceAll("/", "")}` },
  });
  const row = { id: "00000000-0000-4000-8000-0000000000aa", name: EVIL, run_type: "llm" };
  const times = { start_time: "2026-02-25T00:00:00Z", end_time: "2026-02-25T00:00:01Z" };
  await rig.call("POST", "/runs", {
    ...row,
    ...times,
    inputs: { EVIL },
    error: EVIL,
    session_id: project.id,
  });
  const id = await rig.createExportId({
    session_id: project.id,
    bulk_export_destination_id: destination.id,
    filter: `eq(name, ${JSON.stringify(EVIL)})`,
  });
  await rig.complete(id);
  const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", { metadata: { EVIL } });
  const { body: run } = await rig.call<{ run_id: string }>("POST", `/threads/${thread.thread_id}/runs`, {
    assistant_id: "agent",
    input: { messages: [{ role: "user", content: EVIL }] },
    webhook: `/_emulator/inbox/evil?${encodeURIComponent(EVIL)}`,
  });
  await rig.advance("PT5S");
  await rig.arm({ target: "http", match: { op: "getThread" }, then: { status: 503, body: { EVIL } } });
  await fetch(`${rig.emulator.url}/_emulator/inbox/evil`, { method: "POST", headers: HEADERS, body: EVIL });
  await rig.call("GET", `/threads/${encodeURIComponent(EVIL)}`);
  const { objects } = await rig.emulator.control<{ objects: { key: string }[] }>(
    "GET",
    "/s3/buckets/traces/objects?prefix=evil",
  );
  const key = encodeURIComponent(objects[0]?.key ?? "");
  return [
    ...[
      "time?turn=5",
      "exports",
      "exports/new",
      `exports/${id}`,
      `file/traces?key=${key}`,
      `why/${id}?run=${row.id}`,
    ],
    ...[
      "storage/traces",
      "runs",
      `runs/${run.run_id}`,
      "webhooks?inbox=evil",
      "faults",
      "requests",
      "limits",
    ],
    ...[`nowhere/${encodeURIComponent(EVIL)}`, `exports/${encodeURIComponent(EVIL)}`],
  ].map((address) => `#/${address}`);
}

/** Views that show no data of clients. */
const WITHOUT_TEXTS = /^#\/(runs$|limits|nowhere)/;

/** Opens every part of a view that is closed. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
}

describe.skipIf(!hasChromium)("the console", () => {
  it("shows stored text as text, whatever is in it", async () => {
    const addresses = await storeEverywhere();
    const page = await openAt(rig.emulator.url, "#/time");
    for (const address of addresses) {
      await show(page, rig.emulator.url, address);
      await openAll(page);
      if (!WITHOUT_TEXTS.test(address))
        await page.waitForFunction(() => document.querySelector("main")?.textContent?.includes("<img src=x"));
      const view = await page.evaluate(() => ({
        elements: document.querySelectorAll("main img, main script, main iframe").length,
        title: document.title,
      }));
      expect({ address, ...view }).toMatchObject({ address, elements: 0 });
      expect(view.title).not.toBe("injected");
    }
  });

  it(`draws a few rows of ${TURNS} turns, at whatever place the list is scrolled to`, async () => {
    for (let count = 0; count < TURNS; count += 50)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          rig.emulator.request("/_emulator/inbox/many", { method: "POST", body: "{}" }),
        ),
      );
    const page = await openAt(rig.emulator.url, "#/time");
    const rows = page.locator("[aria-label=Turns] [role=listitem]");
    // A turn that comes later would scroll the list to its end.
    const entries = await rig.emulator.control<readonly unknown[]>("GET", "/journal");
    expect(entries.length).toBeGreaterThanOrEqual(TURNS);
    await page.waitForFunction(
      (count) => Number(document.querySelector("[aria-label=Turns] [role=listitem]")?.ariaSetSize) === count,
      entries.length,
    );
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const place = await page.evaluate((to) => {
        const list = document.querySelector("[aria-label=Turns]") as HTMLElement;
        list.scrollTop = to * (list.scrollHeight - list.clientHeight);
        return list.scrollTop;
      }, part);
      await page.waitForFunction((top) => {
        const list = document.querySelector("[aria-label=Turns]") as HTMLElement;
        const box = list.getBoundingClientRect();
        return [...list.querySelectorAll("[role=listitem]")].some((row) => {
          const { top: y, bottom } = row.getBoundingClientRect();
          return (
            list.scrollTop === top && y < box.bottom - 40 && bottom > box.top + 40 && row.textContent !== ""
          );
        });
      }, place);
      expect(await rows.count()).toBeLessThan(80);
    }
  });

  it("is used from the first key to a completed export by keyboard alone", async () => {
    const page = await openAt(rig.emulator.url, "#/exports");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    await tabTo(page, "New export");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Create the export", exact: true }).waitFor();
    await tabTo(page, "Create the export: copy");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Copy as curl" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Copy as TypeScript");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "CREATED", exact: true }).waitFor();
    await tabTo(page, "Advance to COMPLETED");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "COMPLETED", exact: true }).waitFor();
  });
});

/** Presses Tab until the element of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < 150; pressed += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      return element?.getAttribute("aria-label") ?? element?.textContent?.trim();
    });
    if (focused === name) return;
  }
  throw new Error(`${name} is not reached by keyboard`);
}
