import { expect } from "vitest";
import { runContract } from "./mutated-run.ts";
import type { Mutation } from "./mutation.ts";

/** The cases of these mutations find nothing in the product as it is: what they find otherwise is the mutation. */
export async function expectPassing(mutations: readonly Mutation[]): Promise<void> {
  const cases = [...new Set(mutations.flatMap((mutation) => mutation.cases))];
  expect(await runContract(cases)).toEqual({ code: 0, failed: [], differences: [], stderr: "" });
}

/** A FAIL of the target, and so exit code 1. */
export async function expectNoticed(mutation: Mutation): Promise<void> {
  const { code, failed, stderr } = await runContract(mutation.cases, mutation);
  expect({ code, noticed: failed.length > 0, stderr }).toEqual({ code: 1, noticed: true, stderr: "" });
}
