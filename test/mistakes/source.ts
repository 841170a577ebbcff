import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { StartEmulator } from "../../contracts/targets/emulator-target.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A change of one place of a source file. */
export interface Edit {
  readonly file: string;
  /** Occurs once in the file. Without it, `to` is added at the end: what changes a table before others read it. */
  readonly from?: string;
  readonly to: string;
}

/** The text of the edited file; throws if the edit no longer applies. */
export function edited({ file, from, to }: Edit): string {
  const text = readFileSync(join(ROOT, file), "utf8");
  if (from === undefined) return `${text}\n${to}\n`;
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times instead of once:\n${from}`);
  return parts.join(to);
}

/** In `dist`, where the emulator finds its packages, its version and its threads. */
const FOLDER = join(ROOT, "dist/.mistakes");

let bundles = 0;

/** Bundles an entry of the project with other texts for some of its files, and loads the bundle. */
export async function load<Module>(
  entry: string,
  textOf: (file: string) => string | undefined,
): Promise<Module> {
  const plugin: Plugin = {
    name: "edited sources",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = textOf(relative(ROOT, path).replaceAll("\\", "/"));
        return contents === undefined ? undefined : { contents, loader: "ts" };
      });
    },
  };
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    packages: "external",
    logLevel: "error",
    write: false,
    plugins: [plugin],
  });
  bundles += 1;
  const file = join(FOLDER, `${process.pid}-${bundles}.mjs`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, outputFiles[0]?.contents ?? "");
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Module;
  } finally {
    rmSync(file);
  }
}

/** The emulator, with an edit if one is given. */
export async function startOf(edit?: Edit): Promise<StartEmulator> {
  const textOf = (file: string) => (edit?.file === file ? edited(edit) : undefined);
  return (await load<{ startEmulator: StartEmulator }>("emulator/runtime/index.ts", textOf)).startEmulator;
}
