import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** One place of the product's own source that is made wrong, and the cases that must then fail. */
export interface Mutation {
  /** What the product does wrong with it. */
  readonly title: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** What `contract run` is asked for: cases or beginnings of their ids. */
  readonly cases: readonly string[];
}

type Row = readonly [title: string, from: string, to: string, ...cases: string[]];

/** The mutations of one file. */
export function mutationsOf(file: string, ...rows: readonly Row[]): readonly Mutation[] {
  return rows.map(([title, from, to, ...cases]) => ({ title, file, from, to, cases }));
}

/** The text of the mutated file; throws where the mutation no longer applies. */
export function mutated({ title, file, from, to }: Mutation): string {
  const parts = readFileSync(join(ROOT, file), "utf8").split(from);
  if (parts.length !== 2)
    throw new Error(`"${title}": ${file} has ${parts.length - 1} times instead of once:\n${from}`);
  return parts.join(to);
}
