// Packs the project, installs the tarball into an empty project as a stranger would, and uses it from there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "package-"));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

function run(command, args, cwd = folder) {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

try {
  const [packed] = JSON.parse(run(npm, ["pack", "--json", "--pack-destination", folder], ROOT));
  const names = packed.files.map(({ path }) => path);
  for (const wanted of [
    "dist/bin/emulator.js",
    "dist/emulator/index.js",
    "dist/types/emulator/index.d.ts",
    "README.md",
    "LICENSE",
  ])
    assert.ok(names.includes(wanted), `${wanted} is not in the package`);
  const strays = names.filter(
    (name) =>
      !/^(dist|fixtures|scenarios\/(shipped|parts))\/|^scenarios\/scenario\.schema\.json$|^(README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/.test(
        name,
      ),
  );
  assert.deepEqual(strays, [], "the package holds what its users do not need");

  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "stranger", private: true, type: "module" }),
  );
  run(npm, ["install", "--no-audit", "--no-fund", join(folder, packed.filename)]);
  const cli = join(folder, "node_modules", ".bin", "emulator");
  assert.match(run(cli, ["--version"]), new RegExp(packed.version.replaceAll(".", "\\.")));
  const story = run(cli, ["demo"]);
  assert.match(story, /verified/);
  assert.match(run(cli, ["replay"]), /23/);
  writeFileSync(
    join(folder, "use.mjs"),
    `import { startEmulator } from "trace-platform-emulator";
     const emulator = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z" });
     await emulator.clock.advance("PT1H");
     console.log(emulator.clock.now());
     await emulator.close();`,
  );
  assert.equal(run(process.execPath, ["use.mjs"]).trim(), "2026-01-01T01:00:00.000000Z");
  assert.ok(readdirSync(folder).length > 0);
  console.log(
    `package ${packed.name}@${packed.version}: ${names.length} files, installed and used from an empty project`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
