import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { CHROMIUM } from "../full/browser/chromium.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  // One process for all pages: a new one for each costs a third of the time of a short test.
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
  // No page gets further than this machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** A request that the emulator refuses is shown by the page; the browser reports it too. */
const REFUSED = /the server responded with a status of 4\d\d/;

/** What the browser reports of a server or a world that is gone. */
const LOST = /^Failed to load resource: (net::ERR_|the server responded with a status of 503)/;

/** How long a condition is waited for: a loaded machine is slow. */
const PATIENCE_MS = 120_000;

let browser: Promise<Browser> | undefined;

/** The browser of this process, which the test files share; it ends with the process. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM ?? "chromium", args: FLAGS });
  return browser;
}

/** Tabs that no test uses. */
const freeTabs: Tab[] = [];

const BLANK = "about:blank";

interface Shown {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Whether the emulator, or the world, ends before the page does. */
  readonly isLost?: boolean;
}

const VIEWPORT = { width: 1280, height: 860 };

/** A tab that one test after the other has: the process of a new one takes longer to start than most of them last. */
interface Tab {
  readonly page: Page;
  /** Leads to a view of the console at `url`, and waits until it is live. */
  open(url: string, address: string, replies: Shown): Promise<void>;
  /** Makes it as if it were new; fails when a page has broken its policy, written an error, or asked another host. */
  leave(): Promise<void>;
}

async function openTab(): Promise<Tab> {
  // Of its own, so that tabs share nothing but the emulator.
  const context = await (await openBrowser()).newContext({ viewport: VIEWPORT, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  let origin = "";
  let mayBeLost = false;
  const problems: string[] = [];
  const elsewhere: string[] = [];
  page.on("console", (message) => {
    const isProblem = message.type() === "error" || message.type() === "warning";
    const isExpected = REFUSED.test(message.text()) || (mayBeLost && LOST.test(message.text()));
    if (isProblem && !isExpected) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => problems.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (target.protocol.startsWith("http") && target.origin !== origin) elsewhere.push(request.url());
  });
  return {
    page,
    async open(url, address, { viewport = VIEWPORT, isLost = false }) {
      ({ origin } = new URL(url));
      mayBeLost = isLost;
      await page.setViewportSize(viewport);
      await show(page, url, address);
    },
    async leave() {
      if (page.url() !== BLANK) await page.evaluate(() => sessionStorage.clear());
      await page.goto(BLANK);
      await context.clearPermissions();
      expect({ problems, elsewhere }).toEqual({ problems: [], elsewhere: [] });
    },
  };
}

/** Leads a page to a view of the console at `url`, and waits until it shows what it has read. */
export async function show(page: Page, url: string, address: string): Promise<void> {
  const target = `${url}/_emulator/console/${address}`;
  const [present, goal] = [page.url(), target].map((each) => each.split("#")[0]);
  if (present === goal) await page.evaluate(moveTo, new URL(target).hash);
  else await page.goto(target);
  await page.locator(".clock-bar .pill", { hasText: "live" }).waitFor();
  await page.waitForFunction(() => !document.body.textContent?.includes("Reading …"));
}

/** Runs in the page: the view of the address stands in it when this resolves, in place of the one before. */
function moveTo(hash: string): Promise<void> {
  if (window.location.hash === hash) return Promise.resolve();
  return new Promise((resolve) => {
    // The page listens too, and was first; what it draws is there before the next task.
    window.addEventListener("hashchange", () => setTimeout(resolve), { once: true });
    window.location.hash = hash;
  });
}

/** The turns that the page has so far. */
export const turnsIn = (page: Page) => page.getByRole("list", { name: "Turns" }).getByRole("listitem");

/** Waits until the time view shows every turn of the world and a dry run of the future. */
export async function timeIsWhole(page: Page, emulator: Emulator): Promise<void> {
  const turns = await emulator.control<readonly { readonly turn: number }[]>("GET", "/journal");
  await turnsIn(page)
    .getByText(String(turns.at(-1)?.turn), { exact: true })
    .waitFor();
  await page.locator(".note").waitFor();
}

/** Copies what an action sends, in one of the three forms, and returns what the clipboard holds then. */
export async function copied(page: Page, action: string | RegExp, form: string): Promise<string> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.getByRole("button", { name: action, exact: true }).click();
  await page.getByRole("menuitem", { name: `Copy as ${form}`, exact: true }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== "");
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Follows a link of the menu, and waits until its view has taken the place of the one before. */
export async function toView(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name, exact: true }).first().click();
  await page.getByRole("heading", { name, level: 1, exact: true }).waitFor({ state: "attached" });
}

/** What axe finds on a page, by rule and place. Contrast takes it most of its time: `accessibility.test.ts` and `report.test.ts` check it. */
export async function findings(page: Page, contrast: boolean | "only" = false): Promise<readonly string[]> {
  // Evaluated by the debugger, which no policy of the page stops; once a document, in which views follow each other.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (contrast) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    interface AxeResults {
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
      }[];
    }
    const { violations } = await axe.run({
      resultTypes: ["violations"],
      ...(contrast === "only" && { runOnly: ["color-contrast"] }),
      rules: { "color-contrast": { enabled: contrast !== false } },
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, contrast);
}

/** Pages for the tests of a file; after each test they are checked for errors and foreign requests. */
export function useBrowser() {
  const usedTabs: Tab[] = [];

  afterEach(async () => {
    for (const tab of usedTabs.splice(0)) {
      await tab.leave();
      freeTabs.push(tab);
    }
  });

  async function take(): Promise<Tab> {
    const tab = freeTabs.pop() ?? (await openTab());
    usedTabs.push(tab);
    return tab;
  }

  return {
    /** A page at a view of the console. */
    async openAt(url: string, address: string, replies: Shown = {}): Promise<Page> {
      const tab = await take();
      await tab.open(url, address, replies);
      return tab.page;
    },
    openBlank: async (): Promise<Page> => (await take()).page,
  };
}
