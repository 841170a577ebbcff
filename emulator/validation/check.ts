import type { Field } from "../../contracts/spec/fields.ts";
import { lazily } from "../kernel/lazily.ts";
import { createCompiler } from "./compiler.ts";
import { memberPath } from "./misfits.ts";

/**
 * Compares a value with a field: a sentence for each problem, none when it fits. `where` names the value. Of a value
 * that was read from many `bytes` only the first problem is found.
 */
export type Check = (value: unknown, where: string, bytes?: number) => readonly string[];

const MAX_PROBLEMS = 10;

/** Finding all problems takes about 500 bytes for each, and three bytes of a body may have four. */
const MAX_BYTES_FOR_ALL_PROBLEMS = 16 * 1024;

/** A start needs none. */
const loadCompiler = lazily(async () => createCompiler((await import("ajv/dist/2020.js")).Ajv2020));

const checks = new WeakMap<Field<unknown>, Check>();

/** The check of a field, which is compiled once. */
export async function checkOf(field: Field<unknown>): Promise<Check> {
  const existingCheck = checks.get(field);
  if (existingCheck) return existingCheck;
  const compile = await loadCompiler();
  const findAll = compile(field);
  const first = lazily(() => compile(field, "first"));
  const check: Check = (value, where, bytes = 0) => {
    const misfits = bytes > MAX_BYTES_FOR_ALL_PROBLEMS ? first()(value) : findAll(value);
    const sentences = misfits.map(({ keys, sentence }) => `${where}${memberPath(keys)}: ${sentence}`);
    return [...new Set(sentences)].slice(0, MAX_PROBLEMS);
  };
  checks.set(field, check);
  return check;
}
