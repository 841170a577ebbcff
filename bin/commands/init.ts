import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileAdvice } from "../../emulator/storage/file-advice.ts";
import { type Command, UsageError } from "../command.ts";
import { AGENTS, AGENTS_HEADING, AGENTS_PARAGRAPH, FILES } from "../init/files.ts";
import { printResult } from "../terminal.ts";

export const command: Command = {
  summary:
    "write emulator.config.yaml, an example test, a GitHub workflow and a section of AGENTS.md into a project (default: this folder); replaces no file",
  operands: ["[folder]"],
  flags: {},
  async run(invocation) {
    const folder = resolve(invocation.cwd, invocation.operands[0] ?? ".");
    if (!existsSync(folder))
      throw new UsageError(`${folder}: no such folder; create it, or name the project's`);
    const present = Object.keys(FILES).filter((path) => existsSync(join(folder, path)));
    const guide = guideIn(folder);
    if (guide?.includes(AGENTS_HEADING)) present.push(`"${AGENTS_HEADING}" in ${AGENTS}`);
    if (present.length > 0)
      throw new UsageError(`${present.join(", ")}: there already; nothing is written. Move it away first`);
    for (const [path, text] of Object.entries(FILES)) write(join(folder, path), text);
    write(
      join(folder, AGENTS),
      guide === undefined ? AGENTS_PARAGRAPH : `${guide.trimEnd()}\n\n${AGENTS_PARAGRAPH}`,
    );
    const written = [...Object.keys(FILES), AGENTS];
    printResult(invocation, { folder, written }, [
      ...written.map((path) => `wrote ${path}`),
      "next: `npm i -D trace-platform-emulator vitest`, then `npx vitest run`, or `npx emulator start`",
    ]);
    return 0;
  },
};

function guideIn(folder: string): string | undefined {
  const path = join(folder, AGENTS);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${path}: cannot be written: ${fileAdvice(error)}`);
  }
}
