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
const MANY_TURNS = 100_000;
const ZOOM_FRAMES = 60;

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
const inChromium = ({ turns, address, measured, rounds = 7, ...figure }) => ({
  ...figure,
  rounds,
  sides: ["page"],
  needs: { page: CHROMIUM },
  async open({ rows = turns }) {
    const settings = { EMULATOR_LIMITS__JOURNAL_TURNS: String(Math.max(10_000, 2 * rows)) };
    const emulator = await launchEmulator(["--ephemeral", "--rate-limits", "off"], settings);
    const { url: origin } = emulator;
    await load(emulator, { origin, method: "POST", path: "/threads", body: {}, count: rows });
    const browser = await launchChromium();
    return {
      async round() {
        const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
        const sample = await measured(page, rows, () => page.goto(origin + CONSOLE + address));
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
async function firstPaint(page, _turns, open) {
  await open();
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
async function scrolled(page, turns, open) {
  await open();
  await showsAll(page, turns);
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

/** The data, without the files of the page, that a page reads until it shows all turns. */
async function firstData(page, turns, open) {
  const network = await page.context().newCDPSession(page);
  let bytes = 0;
  const ofData = new Set();
  network.on("Network.responseReceived", ({ requestId, response }) => {
    if (!response.url.includes(CONSOLE)) ofData.add(requestId);
  });
  network.on("Network.dataReceived", ({ requestId, dataLength }) => {
    if (ofData.has(requestId)) bytes += dataLength;
  });
  await network.send("Network.enable");
  const began = performance.now();
  await open();
  await showsAll(page, turns);
  await page.locator(".note").waitFor();
  return { items: 1, wallMs: performance.now() - began, bytes };
}

/** A wheel event in each frame, in to the middle of the axis and out again: how long the page works for a frame. */
async function zoomed(page, turns, open) {
  await open();
  await showsAll(page, turns);
  await page.locator(".note").waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const workMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const before = await workMs();
  await page.evaluate(
    (frames) =>
      new Promise((resolve) => {
        const axis = document.querySelector(".axis-box");
        const { left, width, top } = axis.getBoundingClientRect();
        let frame = 0;
        const next = () => {
          const deltaY = frame < frames / 2 ? -20 : 20;
          const at = { clientX: left + width / 20, clientY: top + 40 };
          axis.dispatchEvent(new WheelEvent("wheel", { deltaY, ...at, bubbles: true, cancelable: true }));
          if (frame++ < frames) requestAnimationFrame(next);
          else resolve();
        };
        requestAnimationFrame(next);
      }),
    ZOOM_FRAMES,
  );
  return { items: ZOOM_FRAMES, wallMs: (await workMs()) - before };
}

function showsAll(page, turns) {
  return page.waitForFunction(
    ([rows, count]) => Number(document.querySelector(rows)?.ariaSetSize) >= count,
    [TURNS_SHOWN, turns],
  );
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
  inChromium({
    figure: `console: data of the first load, ${MANY_TURNS} turns`,
    per: "page",
    turns: MANY_TURNS,
    rounds: 3,
    address: "#/time",
    measured: firstData,
    targets: [{ atMost: 200_000, quantity: "bytes" }],
  }),
  ...[
    { figure: `console: scroll of ${MANY_TURNS} turns`, measured: scrolled },
    { figure: `console: zoom over ${MANY_TURNS} turns`, measured: zoomed },
  ].map((figure) =>
    inChromium({
      ...figure,
      per: "frame",
      turns: MANY_TURNS,
      rounds: 3,
      address: "#/time",
      targets: [{ atMost: 1000 / 60 }],
    }),
  ),
];
