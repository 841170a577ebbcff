import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/lib/chromium/chromium-headless-shell",
];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** The program of the system. */
export const CHROMIUM = PLACES.find(existsSync) ?? PLACES[0];

export function launchChromium() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
