import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDERS = ["../peers/node_modules/", "../../node_modules/"];

/** Whether a package is there that a side is made of. */
export function isInstalled(name) {
  return FOLDERS.some((folder) => existsSync(fileURLToPath(new URL(folder + name, import.meta.url))));
}
