// Makes the pictures of the console that README.md and docs/understand/console.md show. Needs `npm run build` and Chromium.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { startEmulator } from "../../dist/emulator/runtime/index.mjs";

const FOLDER = fileURLToPath(new URL("../../docs/understand", import.meta.url));

const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};

const DESTINATION = {
  destination_type: "s3",
  display_name: "Nightly bucket",
  config: { bucket_name: "traces", prefix: "exports", region: "us-east-1" },
  credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
};

const emulator = await startEmulator({
  clock: "frozen",
  now: "2026-03-01T00:00:00Z",
  seed: 7,
  rateLimits: "on",
});

async function post(path, value) {
  const reply = await emulator.request(path, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify(value),
  });
  return reply.json();
}

const order = (more) => post("/api/v1/bulk-exports", { ...ids, ...more });
const days = (from, to) => ({ start_time: `${from}T00:00:00Z`, end_time: `${to}T00:00:00Z` });

const { session_id } = await emulator.control("POST", "/traces/generate", {
  count: 400,
  project: "shop",
  from: "2026-02-24T00:00:00Z",
  to: "2026-03-01T00:00:00Z",
});
const { id: bulk_export_destination_id } = await post("/api/v1/bulk-exports/destinations", DESTINATION);
const ids = { session_id, bulk_export_destination_id };
const first = await order(days("2026-02-22", "2026-03-01"));
await emulator.clock.advance({ until: { export: first.id, status: "COMPLETED" } });
const { thread_id } = await post("/threads", {});
const runs = `/threads/${thread_id}/runs`;
await order({ start_time: "2026-03-01T00:00:00Z", interval_hours: 24 });
await post(`${runs}/crons`, { assistant_id: "agent", schedule: "0 */8 * * *" });
await emulator.clock.advance("P3D");
await emulator.control("POST", "/faults", { preset: "worker_crash" });
await emulator.control("POST", "/faults", { target: "webhook", match: {}, then: { drop: true } });
await emulator.control("PUT", "/rate-limits/runs_query_key", { remaining: 0 });
await post("/runs/query", { session: [session_id] });
for (let day = 0; day < 5; day += 1) {
  await post(runs, { assistant_id: "agent", webhook: "/_emulator/inbox/hooks" });
  await emulator.clock.advance("P1D");
}
const crashed = await order(days("2026-02-25", "2026-03-01"));
await emulator.clock.advance("PT5S");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage({
  viewport: { width: 1280, height: 860 },
  deviceScaleFactor: 0.75,
  reducedMotion: "reduce",
});
const views = { time: "time", export: `exports/${crashed.id}`, faults: "faults" };
for (const [name, address] of Object.entries(views)) {
  await page.goto(`${emulator.url}/_emulator/console/#/${address}`);
  await page.locator(".clock-bar .pill", { hasText: "live" }).waitFor();
  await page.locator("main .note, main .run, main .presets").first().waitFor();
  const dismiss = page.getByRole("button", { name: "Dismiss this message" });
  if (await dismiss.isVisible()) await dismiss.click();
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => !document.body.textContent?.includes("Reading …"));
  writeFileSync(`${FOLDER}/console-${name}.webp`, await webp(await page.screenshot()));
}
await browser.close();
await emulator.close();

/** A PNG picture as WebP, which has half the bytes of a JPEG of this quality. */
async function webp(png) {
  const drawing = await browser.newPage();
  const url = await drawing.evaluate(
    async (source) => {
      const bitmap = await createImageBitmap(await (await fetch(source)).blob());
      const canvas = document.createElement("canvas");
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      return canvas.toDataURL("image/webp", 0.75);
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  await drawing.close();
  return Buffer.from(url.split(",")[1], "base64");
}
