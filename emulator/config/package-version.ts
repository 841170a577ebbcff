import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "trace-platform-emulator";
const MAX_DEPTH = 8;

/** The version in this package's own package.json, which is above the sources and above the bundle. */
export function packageVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const file = join(folder, "package.json");
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
      if (name === NAME && version !== undefined) return version;
    }
    folder = dirname(folder);
  }
  throw new Error(`the package.json of ${NAME} is missing`);
}
