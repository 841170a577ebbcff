import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import type { ReadyLine } from "../../emulator/config/configuration.ts";
import { EXPECT_FUNCTION, withExpectations } from "../full/docs/decisive-lines.ts";
import { type Outcome, start, workingFolder } from "../support/emulator-process.ts";
import { installPackage, runShell } from "../support/user-project.ts";
import type { CommandRelay } from "./command-relay.ts";
import type { Block } from "./markdown.ts";

const USUAL_FLAGS = "--ephemeral --clock frozen --now 2026-03-01T00:00:00Z";
const NEEDS_EMULATOR = /npx emulator env|127\.0\.0\.1:470\d/;
const CONFIGURATION = "emulator.config.yaml";
const LOCATOR_FOLDER = ".emulator";
const START = /^npx emulator start (.*)$/;

/** Runs pages one after the other; those that begin alike share an emulator, which is emptied between them. */
export interface Reader {
  read(blocks: readonly Block[]): Promise<Outcome>;
}

/**
 * Does what a reader of a page would do, from top to bottom, in an empty project that has the package: writes the
 * blocks that name a file, runs `sh`, `ts` and `python` blocks in one shell, and stops at the first failure. A `curl`
 * that is answered with an error fails, and so does a command that does not do what its comment says it prints or exits with. A page that begins with `npx emulator start …`, or calls `npx emulator env` or the standard
 * address, has an emulator, whose addresses stand in the place of the standard ones.
 */
export function createReader(relay: CommandRelay): Reader {
  let shared: Promise<Emulator> | undefined;

  async function emulatorFor(blocks: readonly Block[], cwd: string): Promise<ReadyLine | undefined> {
    const [flags] = blocks.flatMap(({ text }) => START.exec(text.trim())?.[1] ?? []);
    if (flags === undefined && !blocks.some(({ text }) => NEEDS_EMULATOR.test(text))) return undefined;
    const isUsual =
      (flags ?? USUAL_FLAGS) === USUAL_FLAGS && !blocks.some(({ file }) => file === CONFIGURATION);
    if (!isUsual) return (await startIn(cwd, flags)).ready;
    shared ??= startIn(workingFolder(), USUAL_FLAGS);
    const { ready, folder } = await shared;
    await empty(ready.url);
    // Commands find it as they find one that was started here.
    symlinkSync(join(folder, LOCATOR_FOLDER), join(cwd, LOCATOR_FOLDER));
    return ready;
  }

  async function read(page: readonly Block[]): Promise<Outcome> {
    const blocks = page.filter(({ isRun }) => isRun);
    const cwd = workingFolder();
    write(join(cwd, "package.json"), '{ "name": "reader", "private": true, "type": "module" }\n');
    // A loaded machine may take longer than the 5 s that a test of vitest has.
    write(
      join(cwd, "vitest.config.mjs"),
      "export default { test: { testTimeout: 300_000, hookTimeout: 300_000 } };\n",
    );
    const bin = installPackage(cwd);
    relay.install(bin);
    for (const { file, text } of blocks) if (file !== undefined) write(join(cwd, file), text);
    const ready = await emulatorFor(blocks, cwd);
    const steps: string[] = [
      'curl() { command curl --fail-with-body --max-time 60 "$@"; }',
      EXPECT_FUNCTION,
      "trap 'echo \"$AT failed\" >&2' ERR",
    ];
    for (const [index, block] of blocks.entries()) {
      const commands = await commandsOf(
        { ...block, text: readdressed(block.text, ready) },
        join(cwd, `block-${index}`),
      );
      steps.push(`AT=${block.place}`, commands);
    }
    return runShell(steps.join("\n"), cwd, bin);
  }

  return { read };
}

interface Emulator {
  readonly ready: ReadyLine;
  readonly folder: string;
}

async function startIn(folder: string, flags = USUAL_FLAGS): Promise<Emulator> {
  const { ready } = await start(flags.split(" "), { cwd: folder });
  return { ready, folder };
}

/** Leaves an emulator as one that has just been started. */
async function empty(url: string): Promise<void> {
  const control = async (method: string, path: string) => {
    const reply = await fetch(`${url}/_emulator/v1${path}`, {
      method,
      ...(method === "POST" && { body: "{}" }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`);
    return reply.json();
  };
  for (const { id } of (await control("GET", "/worlds")) as readonly { readonly id: string }[])
    if (id !== "main") await control("DELETE", `/worlds/${id}`);
  for (const { name } of (await control("GET", "/snapshots")) as readonly { readonly name: string }[])
    await control("DELETE", `/snapshots/${name}`);
  await control("POST", "/reset");
}

/** The text of a block with the addresses of an emulator. */
function readdressed(text: string, ready: ReadyLine | undefined): string {
  if (ready === undefined) return text;
  const ports = [ready.url, ready.eu_url, ready.s3_url].map((url, index) => [
    `http://127.0.0.1:470${index}`,
    url,
  ]);
  return ports.reduce((moved, [standard = "", own = ""]) => moved.replaceAll(standard, own), text);
}

/** The shell lines of a block; the code of other languages is put into a file first. */
async function commandsOf(block: Block, path: string): Promise<string> {
  const { language, file, text } = block;
  if (file !== undefined || START.test(text.trim())) return "";
  if (language === "sh") return withExpectations(block);
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
