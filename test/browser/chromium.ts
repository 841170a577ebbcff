import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

/** Where Chromium is missing these tests are skipped, except in CI, which installs it. */
export const hasChromium = CHROMIUM !== undefined || process.env.CI === "true";

/** The document that Chromium holds at `url` once its scripts are done; names below `.test` lead to this machine. */
export async function documentAt(url: string): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), "emulator-chromium-"));
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--user-data-dir=${profile}`,
    "--host-resolver-rules=MAP *.test 127.0.0.1",
    "--virtual-time-budget=10000",
    "--dump-dom",
  ];
  try {
    return await new Promise((done, fail) => {
      execFile(CHROMIUM ?? "chromium", [...flags, url], { timeout: 60_000 }, (error, stdout) =>
        error ? fail(error) : done(stdout),
      );
    });
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}
