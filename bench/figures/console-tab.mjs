import { load } from "../harness/calls.mjs";
import { CHROMIUM, launchChromium } from "../harness/chromium.mjs";
import { launchEmulator } from "../harness/processes.mjs";

const CONSOLE = "/_emulator/console/#/time";
const TURNS = 2_000;

/** What a turn costs the server while a tab of the console shows Time, and while none is open. */
const openTab = ({ turns, ...figure }) => ({
  ...figure,
  per: "turn",
  rounds: 5,
  warmUps: 1,
  sides: ["tab", "none"],
  needs: { tab: CHROMIUM },
  targets: [{ against: "none", cost: 1.2, quantity: "cpuMs" }],
  async open({ rows = turns }) {
    const emulator = await launchEmulator(["--ephemeral", "--rate-limits", "off"]);
    const post = { origin: emulator.url, method: "POST", path: "/threads", body: {} };
    if (rows > 0) await load(emulator, { ...post, count: rows });
    const browser = await launchChromium();
    return {
      async round(side) {
        const page = side === "tab" ? await browser.newPage() : undefined;
        await page?.goto(emulator.url + CONSOLE);
        await page?.locator(".note").waitFor();
        const sample = await load(emulator, { ...post, count: TURNS, connections: 1 });
        await page?.close();
        return sample;
      },
      async close() {
        await browser.close();
        await emulator.stop();
      },
    };
  },
});

export const figures = [
  openTab({ figure: "console: an open tab, small world", turns: 0 }),
  openTab({ figure: "console: an open tab, 20,000 turns", turns: 20_000 }),
];
