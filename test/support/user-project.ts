import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Outcome, outcomeOf } from "./emulator-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Links the package and what its entries are for into a project; gives the folder of the commands there. */
export function installPackage(cwd: string): string {
  const modules = join(cwd, "node_modules");
  const bin = join(modules, ".bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(ROOT, join(modules, "trace-platform-emulator"));
  const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const name of [...Object.keys(peerDependencies), "typescript", "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  for (const name of ["vitest", "tsc"]) symlinkSync(join(ROOT, "node_modules/.bin", name), join(bin, name));
  symlinkSync(join(ROOT, "dist/bin/emulator.js"), join(bin, "emulator"));
  writeFileSync(join(bin, "npx"), '#!/bin/sh\nexec "$@"\n');
  for (const name of ["npx", "emulator"]) chmodSync(join(bin, name), 0o755);
  return bin;
}

/** Runs a script of bash that ends at the first failure; the commands of `bin` come first. */
export async function runShell(
  script: string,
  cwd: string,
  bin: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const env = { ...variables, PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}` };
  return outcomeOf(spawn("bash", ["--norc", "-Eeu", "-o", "pipefail", "-c", script], { cwd, env }));
}
