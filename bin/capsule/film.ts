import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Invocation, UsageError } from "../command.ts";
import { htmlReport, unwritable } from "../report-output.ts";
import { print } from "../terminal.ts";
import { openCapsule } from "./file.ts";

/** `report film <capsule>`: the failure of a capsule as one HTML file that opens offline. */
export async function reportFilm({ operands, flags, cwd }: Invocation): Promise<number> {
  const text = await filmOf(resolve(cwd, operands[0] ?? ""));
  if (flags.output === undefined) print(text.split("\n"));
  else write(resolve(cwd, String(flags.output)), text);
  return 0;
}

/** Where `--film` writes; undefined without it. Throws `UsageError` without `--capsule`. */
export function filmFile({ flags, cwd }: Pick<Invocation, "flags" | "cwd">): string | undefined {
  if (flags.film === undefined) return undefined;
  if (flags.capsule === undefined)
    throw new UsageError("--film: a film is made from a capsule; add --capsule <file>");
  return resolve(cwd, String(flags.film));
}

/** Writes the film of a capsule. Throws `UsageError` where it cannot. */
export async function writeFilm(capsule: string, file: string): Promise<void> {
  write(file, await filmOf(capsule));
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, `${text}\n`);
  } catch (error) {
    throw unwritable(file, error);
  }
}

async function filmOf(file: string): Promise<string> {
  const capsule = await openCapsule(file);
  try {
    const { facts, journal } = capsule;
    const turns = journal.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    return htmlReport("film", JSON.stringify({ facts, turns }));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new UsageError(`${file}: its journal is damaged (${error.message}). Make the capsule again.`);
    throw error;
  } finally {
    capsule.remove();
  }
}
