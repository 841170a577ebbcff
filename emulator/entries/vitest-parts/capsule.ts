import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { givenSettings } from "../../config/given-settings.ts";
import { startRecording, writeRecording } from "../../runtime/capsules/recording.ts";
import type { Emulator, EmulatorOptions } from "../../runtime/index.ts";

/** What names a test. */
export interface NamedTask {
  readonly name: string;
  readonly file: { readonly name: string };
  readonly suite?: Pick<NamedTask, "name"> | undefined;
}

const NAME_CHARACTERS = 80;

/** Remembers where the world of a test stands; what it answers writes the capsule of that test and says where it is. */
export async function beginCapsule(
  folder: string,
  { url }: Pick<Emulator, "url">,
  options: EmulatorOptions,
): Promise<(task: NamedTask, message: string) => Promise<string>> {
  const start = await startRecording(url);
  return async (task, message) => {
    try {
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${fileNameOf(task)}.capsule`);
      const settings = await givenSettings({ cwd: process.cwd(), options: { ...options } });
      const command = `npx vitest run ${task.file.name} -t ${JSON.stringify(task.name)}`;
      const notes = [`the test failed: ${message.split("\n")[0]}`];
      await writeRecording(file, url, start, { command, made_by: "vitest", notes, settings });
      const relativePath = relative(process.cwd(), file);
      return `\nIts requests are kept in ${relativePath}; repeat them with \`npx emulator replay ${relativePath}\`.`;
    } catch (error) {
      return `\nNo capsule was written: ${(error as Error).message}`;
    }
  };
}

function fileNameOf({ name, file, suite }: NamedTask): string {
  const whole = [file.name.replace(/\.[cm]?[jt]sx?$/, ""), suite?.name, name].filter(Boolean).join(" ");
  return whole
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(-NAME_CHARACTERS);
}
