import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Debian's script for the first is not replaced by the browser, which would outlive it. */
const PROGRAMS = [
  "/usr/lib/chromium/chromium-headless-shell",
  ...["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`),
];

/** The system's Chromium; undefined where there is none. The one without windows needs less processor time. */
export const CHROMIUM = PROGRAMS.find(existsSync);

const PROGRAM = CHROMIUM ?? "chromium";

/** Where Chromium is missing these tests are skipped, except in CI, which installs it. */
export const hasChromium = CHROMIUM !== undefined || process.env.CI === "true";

/** The document that Chromium holds at `url` once it is loaded; names below `.test` lead to this machine. */
export function documentAt(url: string): Promise<string> {
  return inProfile(
    async (profile) => (await promisify(execFile)(PROGRAM, flagsOf(profile, url, "--dump-dom"))).stdout,
  );
}

/** Keeps Chromium at `url` until `reported` settles: a page with scripts says itself when it is done. */
export function visit<T>(url: string, report: Promise<T>): Promise<T> {
  return inProfile(async (profile) => {
    const child = spawn(PROGRAM, flagsOf(profile, url, "--remote-debugging-port=0"), { stdio: "ignore" });
    const ended = new Promise<never>((_done, fail) => {
      child.once("error", fail);
      child.once("exit", (code) => fail(new Error(`Chromium ended with ${code} before the page reported`)));
    });
    try {
      return await Promise.race([report, ended]);
    } finally {
      child.removeAllListeners("exit");
      const exit = once(child, "close");
      if (child.kill()) await exit;
    }
  });
}

async function inProfile<T>(act: (profile: string) => Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), "emulator-chromium-"));
  try {
    return await act(profile);
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

function flagsOf(profile: string, url: string, mode: string): string[] {
  return [
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
    mode,
    url,
  ];
}
