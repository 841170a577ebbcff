import { spawn } from "node:child_process";

/** The program that opens an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"],
};

/** Opens an address in the browser of this machine; `onFailure` is called without a browser. */
export function openInBrowser(address: string, onFailure: () => void = () => undefined): void {
  const [program, ...words] = OPENERS[process.platform] ?? ["xdg-open"];
  spawn(program, [...words, address], { stdio: "ignore", detached: true })
    .on("error", onFailure)
    .unref();
}
