import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { findings, openBrowser } from "../../console/browser.ts";
import { tinyServer } from "../../contracts/stub-server.ts";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { hasChromium } from "../browser/chromium.ts";

const EVIL = "</script><img src=x onerror=alert(1)> is 100% busy, or not";

const SCENARIO = `scenario: ${JSON.stringify(EVIL)}
now: 2026-03-01T00:00:00Z
when:
  - request: POST /threads
    body: {}
    expect: { body: { status: busy } }
`;

function folderWithFailure(): string {
  const cwd = workingFolder();
  writeFileSync(join(cwd, "bad.scenario.yaml"), SCENARIO);
  return cwd;
}

/** In an order in which those that follow each other differ in both. */
const APPEARANCES = [1440, 390, 1024, 1440, 390, 1024].map((width, place) => ({
  width,
  colorScheme: place % 2 === 0 ? ("light" as const) : ("dark" as const),
}));

/** What a one-file report shows offline, opened from the disk. */
async function shownBy(file: string) {
  const context = await (await openBrowser()).newContext({ offline: true, reducedMotion: "reduce" });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(pathToFileURL(file).href);
  await page.locator("h1").waitFor();
  const text = ((await page.locator("main").textContent()) ?? "").replaceAll("\u00a0", " ");
  const images = await page.locator("img").count();
  const axeFindings: string[] = [];
  for (const { width, colorScheme } of APPEARANCES) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0) axeFindings.push(`${width} px: the page is ${beyond} px wider`);
    axeFindings.push(...(await findings(page, true)).map((each) => `${width} px, ${colorScheme}: ${each}`));
  }
  await context.close();
  return { problems, text, images, found: axeFindings };
}

describe.skipIf(!hasChromium)("a report of one file", () => {
  it("of a replay opens offline, shows what failed, and its data as text", async () => {
    const cwd = folderWithFailure();
    const { code } = await run(["replay", ".", "--report", "html", "--output", "r.html"], { cwd });
    expect(code).toBe(1);
    const { text, ...rest } = await shownBy(join(cwd, "r.html"));
    expect(rest).toEqual({ problems: [], images: 0, found: [] });
    expect(text).toContain(EVIL);
    expect(text).toContain("bad.scenario.yaml:4");
    expect(text).toContain('expected "busy", found "idle"');
  });

  it("of a replay can be filtered by result", async () => {
    const cwd = folderWithFailure();
    writeFileSync(join(cwd, "good.scenario.yaml"), "scenario: Good.\nwhen:\n  - advance: 1m\n");
    await run(["replay", ".", "--report", "html", "--output", "r.html"], { cwd });
    const context = await (await openBrowser()).newContext({ offline: true });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(cwd, "r.html")).href);
    const results = () => page.locator("details.card .status").allTextContents();
    expect(await results()).toEqual(["✕ failed", "● passed"]);
    const passed = page.getByRole("button", { name: "1 passed", exact: true });
    await passed.click();
    expect(await results()).toEqual(["● passed"]);
    await passed.click();
    expect(await results()).toHaveLength(2);
    await context.close();
  });

  it("of a contract run begins with seed, version and date, has every requirement, and says what was not checked", async () => {
    const cwd = workingFolder();
    const flags = ["--report", "html", "--output", "c.html", "--budget", "6"];
    await run(["contract", "run", "4.4", ...flags], { cwd });
    const { text, ...rest } = await shownBy(join(cwd, "c.html"));
    expect(rest).toEqual({ problems: [], images: 0, found: [] });
    expect(text).toMatch(
      /^Contract runseed 1 · emulator \d+\.\d+\.\d+ · \d{4}-\d\d-\d\dT[\d:]+Z[\s\S]*4\.4-1[\s\S]*What this run did not check[\s\S]*§4\.4: \d of 3 cases/,
    );
  });

  it("of a contract run shows FAIL first, and can be filtered by result", async () => {
    const cwd = workingFolder();
    const server = await tinyServer(() => ({ status: 200, body: { runs: [] } }));
    const flags = ["--target", server.url, "--report", "html", "--output", "c.html"];
    await run(["contract", "run", "4.1", "2.1", ...flags], { cwd });
    await server.close();
    const context = await (await openBrowser()).newContext({ offline: true });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(cwd, "c.html")).href);
    const verdicts = async () =>
      (await page.locator(".finding strong").allTextContents()).map((text) => text.split(" ")[0]);
    const all = await verdicts();
    expect(all[0]).toBe("FAIL");
    expect(new Set(all)).toContain("UNSUPPORTED");
    await page
      .getByRole("group", { name: "Filter by result" })
      .getByRole("button", { name: "UNSUPPORTED" })
      .click();
    expect(new Set(await verdicts())).toEqual(new Set(["UNSUPPORTED"]));
    await page.getByRole("button", { name: "UNSUPPORTED", pressed: true }).click();
    expect(await verdicts()).toEqual(all);
    await context.close();
  });
});

describe("in GitHub Actions", () => {
  it("a replay annotates the line of the step, and writes the summary of the job", async () => {
    const cwd = folderWithFailure();
    const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
    const { stderr } = await run(["replay", "."], { cwd, env });
    expect(stderr).toContain(
      '::error file=bad.scenario.yaml,line=4,title=bad::when[0]: body.status: expected "busy", found "idle"',
    );
    expect(readFileSync(env.GITHUB_STEP_SUMMARY, "utf8")).toContain("**1 scenario: 0 passed, 1 failed**");
  });

  it("is needed for both", async () => {
    const cwd = folderWithFailure();
    const { stderr } = await run(["replay", "."], {
      cwd,
      env: { GITHUB_STEP_SUMMARY: join(cwd, "summary.md") },
    });
    expect(stderr).not.toContain("::error");
    expect(existsSync(join(cwd, "summary.md"))).toBe(false);
  });
});
