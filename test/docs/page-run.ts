import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { type Outcome, start, workingFolder } from "../support/emulator-process.ts";
import { installPackage, runShell } from "../support/user-project.ts";
import { type Block, blocksOf } from "./markdown.ts";

const STANDARD = "http://127.0.0.1:4700";
const DEFAULT_FLAGS = "--ephemeral --clock frozen --now 2026-03-01T00:00:00Z";
const NEEDS_EMULATOR = /\$URL\b|127\.0\.0\.1:470\d/;
const START = /^npx emulator start (.*)$/;

/**
 * Does what a reader of the page would do, from top to bottom, in an empty project that has the package: writes the
 * blocks that name a file, runs `sh`, `ts` and `python` blocks in one shell, and stops at the first failure. A `curl`
 * that is answered with an error fails. A page that begins with `npx emulator start …`, or names `$URL` or the standard
 * address, has an emulator, whose addresses stand in the place of the standard ones.
 */
export async function runPage(page: string): Promise<Outcome> {
  const blocks = blocksOf(page).filter(({ isRun }) => isRun);
  const cwd = workingFolder();
  write(join(cwd, "package.json"), '{ "name": "reader", "private": true, "type": "module" }\n');
  // A loaded machine may take longer than the 5 s that a test of vitest has.
  write(
    join(cwd, "vitest.config.mjs"),
    "export default { test: { testTimeout: 300_000, hookTimeout: 300_000 } };\n",
  );
  const bin = installPackage(cwd);
  for (const { file, text } of blocks) if (file !== undefined) write(join(cwd, file), text);
  const addresses = await startFor(blocks, cwd);
  const steps: string[] = [
    'curl() { command curl --fail-with-body --max-time 60 "$@"; }',
    "trap 'echo \"$AT failed\" >&2' ERR",
    `export URL=${addresses[STANDARD] ?? ""}`,
  ];
  const addressed = (text: string) =>
    Object.entries(addresses).reduce((moved, [standard, own]) => moved.replaceAll(standard, own), text);
  for (const [index, block] of blocks.entries()) {
    const commands = await commandsOf({ ...block, text: addressed(block.text) }, join(cwd, `block-${index}`));
    steps.push(`AT=${block.place}`, commands);
  }
  return runShell(steps.join("\n"), cwd, bin);
}

/** Starts an emulator where the page needs one; gives its addresses by the standard ones. */
async function startFor(blocks: readonly Block[], cwd: string): Promise<Readonly<Record<string, string>>> {
  const [flags] = blocks.flatMap(({ text }) => START.exec(text.trim())?.[1] ?? []);
  if (flags === undefined && !blocks.some(({ text }) => NEEDS_EMULATOR.test(text))) return {};
  const { ready } = await start((flags ?? DEFAULT_FLAGS).split(" "), { cwd });
  return {
    [STANDARD]: ready.url,
    "http://127.0.0.1:4701": ready.eu_url,
    "http://127.0.0.1:4702": ready.s3_url,
  };
}

/** The shell lines of a block; the code of other languages is put into a file first. */
async function commandsOf({ language, file, text }: Block, path: string): Promise<string> {
  if (file !== undefined || START.test(text.trim())) return "";
  if (language === "sh") return text;
  if (language === "ts") {
    write(`${path}.mjs`, (await transform(text, { loader: "ts" })).code);
    return `node ${path}.mjs`;
  }
  if (language === "python") {
    write(`${path}.py`, text);
    return `python3 ${path}.py`;
  }
  throw new Error(`A block in ${language} neither names a file nor can be run.`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
