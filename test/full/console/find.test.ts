import { beforeAll, describe, expect, it } from "vitest";
import type { MatchGroup } from "../../../emulator/control/find.ts";
import { findings, useBrowser } from "../../console/browser.ts";
import { startExportRig } from "../../support/emulator.ts";
import { useRig } from "../../support/use-rig.ts";
import { hasChromium } from "../browser/chromium.ts";

const { openAt } = useBrowser();
const rig = useRig("file", () => startExportRig());

let exportId = "";
let fault = "";
let delivery = "";

const find = (text: string, more = "") =>
  rig.emulator.control<readonly MatchGroup[]>("GET", `/find?text=${encodeURIComponent(text)}${more}`);

beforeAll(async () => {
  exportId = await rig.createExportId();
  await rig.complete(exportId);
  const armed = await rig.emulator.control<{ id: string }>("POST", "/faults", {
    target: "webhook",
    match: {},
    then: { drop: true },
  });
  fault = armed.id;
  const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
  await rig.call("POST", `/threads/${thread.thread_id}/runs`, {
    assistant_id: "agent",
    webhook: "/_emulator/inbox/a",
  });
  await rig.advance("PT1M");
  const [first] = await rig.emulator.control<{ id: string }[]>("GET", "/webhooks/deliveries");
  delivery = first?.id ?? "";
});

describe("GET /find", () => {
  it("finds ids, names, paths, bucket keys, rows and turns, with the number of all", async () => {
    expect((await find(exportId.toUpperCase()))[0]).toEqual({
      kind: "export",
      matching: 1,
      items: [{ id: exportId, text: expect.stringContaining("COMPLETED") }],
    });
    const kinds = async (text: string) => (await find(text)).map(({ kind }) => kind);
    expect(await kinds("/threads")).toEqual(["turn", "request"]);
    expect(await kinds(fault)).toEqual(["fault"]);
    expect(await kinds("TRACES/")).toContain("object");
    const [turn] = await find("3");
    expect(turn).toMatchObject({ kind: "turn", items: [{ id: "3" }, {}, {}, {}, {}] });
    expect(turn?.matching).toBeGreaterThan(5);
    expect((await find("3", "&limit=1"))[0]?.items).toHaveLength(1);
    expect(await find("nothing has this name")).toEqual([]);
    const file = (await find(".parquet"))[0]?.items[0]?.id ?? "";
    const { rows } = await rig.emulator.control<{ rows: { id: string }[] }>(
      "GET",
      `/s3/buckets/traces/parquet?key=${encodeURIComponent(file.replace("traces/", ""))}&limit=1`,
    );
    expect(await find(rows[0]?.id ?? "?")).toMatchObject([{ kind: "row", matching: 1 }]);
  });

  it("refuses no text, and more than 100 of a kind", async () => {
    for (const query of ["", "?text=", "?text=a&limit=101"])
      expect((await rig.call("GET", `/_emulator/v1/find${query}`)).status).toBe(422);
  });
});

describe.skipIf(!hasChromium)("Ctrl-K", () => {
  it.each([1440, 390])("opens what has this id, from every view, %s px wide", async (width) => {
    const page = await openAt(rig.emulator.url, "#/limits", { viewport: { width, height: 860 } });
    const search = page.getByRole("combobox", { name: "Id, path, project, bucket key or turn" });
    const options = page.getByRole("listbox", { name: "Results" }).getByRole("option");
    await page.keyboard.press("Control+k");
    await search.fill(exportId.slice(0, 13));
    await options.getByText(exportId).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "COMPLETED", exact: true }).waitFor();
    await page.keyboard.press("Meta+k");
    await search.fill("/threads");
    await page
      .getByRole("status")
      .getByText(/, request: \d+/)
      .waitFor();
    await page.keyboard.press("ArrowDown");
    await options.nth(1).and(page.locator("[aria-selected=true]")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: /^Turn \d+$/ }).waitFor();
    await page.getByRole("link", { name: "Request and reply", exact: true }).click();
    await page.getByRole("heading", { name: "Reply", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await search.fill("nothing has this name");
    await page.getByText("Nothing matches.").waitFor();
    await page.keyboard.press("Escape");
    await search.waitFor({ state: "detached" });
  });
});

describe.skipIf(!hasChromium)("Why?", () => {
  it("leads from a dropped delivery to the fault, and to the request that armed it", async () => {
    const page = await openAt(rig.emulator.url, `#/webhooks/${delivery}`);
    await page.getByText("The fault").waitFor();
    await page.getByRole("link", { name: `Why? ${fault}`, exact: true }).click();
    const chain = page.getByRole("region", { name: `Why is there faults/${fault}?` });
    await chain.getByRole("link", { name: `Fault ${fault.slice(0, 8)}` }).click();
    const row = page.getByRole("region", { name: "Faults", exact: true }).getByRole("row").nth(1);
    await row.getByText("webhook", { exact: true }).waitFor();
    await page.goBack();
    expect(await findings(page)).toEqual([]);
  });

  it("leads from an object to the export, and from there to its request", async () => {
    const page = await openAt(rig.emulator.url, `#/exports/${exportId}`);
    await page
      .getByRole("link", { name: /^Why\? traces\// })
      .first()
      .click();
    const chain = page.getByRole("region", { name: /^Why is there objects\// });
    await chain.getByText("export.write_file").first().waitFor();
    await chain.getByRole("link", { name: "Request and reply" }).last().click();
    await page.locator("strong").getByText("POST", { exact: true }).waitFor();
    await page.getByText("/api/v1/bulk-exports", { exact: true }).waitFor();
  });
});
