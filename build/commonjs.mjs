import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";

/** One file per entry point for `require`, which loads the ES module: TypeScript wants a CommonJS file for that condition. */
export async function writeCommonJs(folder, exports) {
  await mkdir(join(folder, "cjs"), { recursive: true });
  const entries = Object.values(exports).filter((entry) => typeof entry === "object");
  await Promise.all(
    entries.map((entry) => {
      const module = relative("./dist/cjs", entry.import.default);
      const file = join(folder, "cjs", basename(entry.require.default));
      return writeFile(file, `module.exports = require(${JSON.stringify(module)});\n`);
    }),
  );
}
