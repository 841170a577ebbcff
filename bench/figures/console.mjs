import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load } from "../harness/calls.mjs";
import { CHROMIUM, launchChromium } from "../harness/chromium.mjs";
import { launchEmulator } from "../harness/processes.mjs";

const FILES = fileURLToPath(new URL("../../dist/console/", import.meta.url));
const CONSOLE = "/_emulator/console/";
const TURNS = 10_000;
const TURNS_SHOWN = "[aria-label=Turns] [role=listitem]";
const FRAMES = 200;

const size = {
  figure: "console: its files on the wire",
  per: "page",
  rounds: 1,
  warmUps: 0,
  sides: ["page"],
  targets: [{ atMost: 60 * 1024, quantity: "bytes" }],
  open: async () => ({
    async round() {
      const files = ["index.html", "icon.svg", "console.js.br", "style.css.br"];
      const bytes = files.reduce((sum, name) => sum + statSync(FILES + name).size, 0);
      return { items: 1, wallMs: 0, bytes };
    },
  }),
};

/** What a page of its own in the system's Chromium does, over a world of so many turns. */
const inChromium = ({ turns, address, measured, ...figure }) => ({
  ...figure,
  rounds: 7,
  sides: ["page"],
  needs: { page: CHROMIUM },
  async open({ rows = turns }) {
    const emulator = await launchEmulator(["--ephemeral", "--rate-limits", "off"]);
    const { url: origin } = emulator;
    await load(emulator, { origin, method: "POST", path: "/threads", body: {}, count: rows });
    const browser = await launchChromium();
    return {
      async round() {
        const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
        await page.goto(origin + CONSOLE + address);
        const sample = await measured(page, rows);
        await page.close();
        return sample;
      },
      async close() {
        await browser.close();
        await emulator.stop();
      },
    };
  },
});

/** From the navigation on, as the browser says it. */
async function firstPaint(page) {
  const wallMs = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const seen = (entries) => {
          const paint = entries.find(({ name }) => name === "first-contentful-paint");
          if (paint) resolve(paint.startTime);
        };
        new PerformanceObserver((list) => seen(list.getEntries())).observe({ type: "paint", buffered: true });
      }),
  );
  return { items: 1, wallMs };
}

/** From the first turn to the last, a part of the way with each frame. */
async function scrolled(page, turns) {
  await page.waitForFunction(
    ([rows, count]) => Number(document.querySelector(rows)?.ariaSetSize) >= count,
    [TURNS_SHOWN, turns],
  );
  const wallMs = await page.evaluate(
    ([rows, frames]) =>
      new Promise((resolve) => {
        const list = document.querySelector(rows).closest("[aria-label=Turns]");
        const began = performance.now();
        let frame = 0;
        const next = () => {
          list.scrollTop = (frame / frames) * (list.scrollHeight - list.clientHeight);
          if (frame++ < frames) requestAnimationFrame(next);
          else resolve(performance.now() - began);
        };
        requestAnimationFrame(next);
      }),
    [TURNS_SHOWN, FRAMES],
  );
  return { items: FRAMES, wallMs };
}

export const figures = [
  size,
  inChromium({
    figure: "console: first paint",
    per: "page",
    turns: 100,
    address: "",
    measured: firstPaint,
    targets: [{ atMost: 500 }],
  }),
  inChromium({
    figure: `console: scroll of ${TURNS} turns`,
    per: "frame",
    turns: TURNS,
    address: "#/time",
    measured: scrolled,
    targets: [{ atMost: 20 }],
  }),
];
