import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { SCENARIO_NAME } from "./document.ts";
import { differences } from "./matching.ts";

const MAX_CHARACTERS = 300;

/** The result of comparing a journal with the kept one. */
export type Drift =
  | { readonly kind: "none" | "same" | "written" }
  | {
      readonly kind: "drifted";
      readonly file: string;
      readonly line: number;
      readonly differences: readonly string[];
    };

/** Path of the expected journal, next to the scenario file. */
function goldenOf(scenarioFile: string): string {
  return `${scenarioFile.replace(SCENARIO_NAME, "")}.journal.ndjson`;
}

/** Compares byte for byte; with `update` the journal is written instead. */
export function compareGolden(scenarioFile: string, journal: string, update: boolean): Drift {
  const file = goldenOf(scenarioFile);
  const storedJournal = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  if (storedJournal === journal) return { kind: "same" };
  if (update) {
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, journal);
    renameSync(temporary, file);
    return { kind: "written" };
  }
  return storedJournal === undefined
    ? { kind: "none" }
    : { kind: "drifted", file, ...firstDifference(storedJournal, journal) };
}

function firstDifference(storedJournal: string, journal: string) {
  const [before, after] = [storedJournal.split("\n"), journal.split("\n")];
  const index = before.findIndex((line, at) => line !== after[at]);
  const at = index === -1 ? before.length : index;
  const lineDifferences = differences(parseLine(before[at]), parseLine(after[at]), `line ${at + 1}`);
  return {
    line: at + 1,
    differences:
      lineDifferences.length > 0
        ? lineDifferences
        : [`line ${at + 1}: extra or different bytes: ${shortened(after[at])}`],
  };
}

function shortened(line = ""): string {
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
}

function parseLine(line: string | undefined): unknown {
  if (line === undefined || line === "") return "the end";
  try {
    return JSON.parse(line);
  } catch {
    // A merge conflict may have left invalid JSON in the file.
    return line;
  }
}
