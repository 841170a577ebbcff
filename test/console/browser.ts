import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { CHROMIUM, hasChromium } from "../browser/chromium.ts";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];

/** A request that the emulator refuses is shown by the page; the browser reports it too. */
const REFUSED = /the server responded with a status of 4\d\d/;

/** What the browser reports of a server or a world that is gone. */
const LOST = /^Failed to load resource: (net::ERR_|the server responded with a status of 503)/;

/** How long a condition is waited for: a loaded machine is slow. */
const PATIENCE_MS = 120_000;

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? "chromium", args: FLAGS });
}

/** A page of the console, and what must not happen on it. */
export interface ConsolePage {
  readonly page: Page;
  /** Leads to a view and waits until it is live. */
  open(address: string): Promise<void>;
  /** Fails when the page has broken its policy, written an error, or asked another host for anything. */
  close(): Promise<void>;
}

interface PageOptions extends BrowserContextOptions {
  /** Whether the emulator, or the world, ends before the page does. */
  readonly isLost?: boolean;
}

/** Opens a page whose every request to another host than `url` fails. */
export async function openPage(
  browser: Browser,
  url: string,
  { isLost = false, ...options }: PageOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const elsewhere: string[] = [];
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("console", (message) => {
    const isProblem = message.type() === "error" || message.type() === "warning";
    const isExpected = REFUSED.test(message.text()) || (isLost && LOST.test(message.text()));
    if (isProblem && !isExpected) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => problems.push(`dialog: ${dialog.message()}`));
  await context.route(
    (target) => target.origin !== new URL(url).origin && target.protocol.startsWith("http"),
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  return {
    page,
    open: (address) => show(page, url, address),
    async close() {
      await context.close();
      expect({ problems, elsewhere }).toEqual({ problems: [], elsewhere: [] });
    },
  };
}

/** Leads a page to a view of the console at `url`, and waits until it shows what it has read. */
export async function show(page: Page, url: string, address: string): Promise<void> {
  const target = `${url}/_emulator/console/${address}`;
  const [shown, wanted] = [page.url(), target].map((each) => each.split("#")[0]);
  if (shown === wanted) await page.evaluate(moveTo, new URL(target).hash);
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

/** Waits until the view of the time has every turn of the world, and a dry run of what is ahead. */
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

/** What axe finds on a page, by rule and place; only of these rules where they are named. */
export async function findings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // Evaluated by the debugger, which no policy of the page stops; once a document, in which views follow each other.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    interface AxeResults {
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
      }[];
    }
    const { violations } = await axe.run({
      resultTypes: ["violations"],
      ...(only && { runOnly: only }),
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, rules);
}

/** One browser for the tests of a file; what their pages must not do is asked after each of them. */
export function useBrowser() {
  let browser: Browser;
  const opened: ConsolePage[] = [];

  beforeAll(async () => {
    if (hasChromium) browser = await openBrowser();
  });

  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  afterAll(() => browser?.close());

  return {
    /** A page at a view of the console. */
    async openAt(url: string, address: string, options: PageOptions = {}): Promise<Page> {
      const consolePage = await openPage(browser, url, options);
      opened.push(consolePage);
      await consolePage.open(address);
      return consolePage.page;
    },
  };
}
