import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";

/**
 * What `require` gets of each entry of the package. Node loads the modules themselves; a file of its own and
 * declarations in a folder of CommonJS tell TypeScript so, and let those of peers resolve as they do in such a project.
 */
export async function writeCommonJs(folder, exports) {
  const entries = Object.values(exports).filter((entry) => typeof entry === "object");
  await Promise.all([
    cp(join(folder, "types"), join(folder, "types-cjs"), { recursive: true }),
    mkdir(join(folder, "cjs"), { recursive: true }),
  ]);
  await writeFile(join(folder, "types-cjs/package.json"), '{ "type": "commonjs" }\n');
  await Promise.all(
    entries.map((entry) => {
      const module = relative("./dist/cjs", entry.import.default);
      const file = join(folder, "cjs", basename(entry.require.default));
      return writeFile(file, `module.exports = require(${JSON.stringify(module)});\n`);
    }),
  );
}
