// Finds the command-line clients as Debian ships them, or installs them where that can be done without asking anybody.

import { execFileSync, spawnSync } from "node:child_process";

/** Program, its Debian package, and the words with which it says its version. */
const PROGRAMS = [
  { name: "aws", package: "awscli", version: ["--version"] },
  { name: "s3cmd", package: "s3cmd", version: ["--version"] },
  { name: "rclone", package: "rclone", version: ["version"] },
];
const INSTALL_MS = 300_000;

/** The path of each program by its name; rejects with the reason why one is missing. */
export function findPrograms() {
  const packages = PROGRAMS.filter((program) => !pathOf(program)).map((program) => program.package);
  if (packages.length > 0) install(packages);
  const paths = new Map(PROGRAMS.map((program) => [program.name, pathOf(program)]));
  for (const [name, path] of paths) if (!path) throw new Error(`${name} was installed and does not run`);
  return paths;
}

/** Debian's own goes before others of its name, which may be of any version. */
function pathOf({ name, version }) {
  return [`/usr/bin/${name}`, name].find(
    (path) => spawnSync(path, version, { stdio: "ignore" }).status === 0,
  );
}

function install(packages) {
  if (spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status !== 0)
    throw new Error(`there is no ${packages.join(", ")}, and no apt-get to install it with`);
  const options = {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  try {
    execFileSync("apt-get", ["update", "-qq"], options);
    execFileSync("apt-get", ["install", "-qq", "-y", "--no-install-recommends", ...packages], options);
  } catch (error) {
    throw new Error(
      `${packages.join(", ")} cannot be installed: ${String(error.stderr || error.message).trim()}`,
    );
  }
}
