import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDERS = ["../peers/node_modules/", "../../node_modules/"];

/** Whether a package or a program is there that a side is made of. */
export function isInstalled(name) {
  if (isAbsolute(name)) return existsSync(name);
  return FOLDERS.some((folder) => existsSync(fileURLToPath(new URL(folder + name, import.meta.url))));
}
