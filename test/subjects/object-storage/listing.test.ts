import fc from "fast-check";
import { test } from "vitest";
import { listKeys } from "../../../emulator/subjects/object-storage/listing.ts";
import { compareKeys, isBucketName, sortKeys } from "../../../emulator/subjects/object-storage/names.ts";

const key = fc.string({
  unit: fc.constantFrom("a", "b", "/", "é", "\uffff", "𝄞"),
  minLength: 1,
  maxLength: 6,
});

/** Slow and obvious: everything there is to name, once, in the order of bytes. */
function everything(keys: readonly string[], prefix: string, delimiter: string): readonly string[] {
  const names = keys
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const at = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length);
      return at === -1 ? name : name.slice(0, at + delimiter.length);
    });
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

test("pages of any size list what a naive listing lists", ({ expect }) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { maxLength: 30 }),
      fc.constantFrom("", "a", "a/", "é"),
      fc.constantFrom("", "/", "b/", "a"),
      fc.integer({ min: 1, max: 4 }),
      (keys, prefix, delimiter, max) => {
        const files: string[] = [];
        for (let after = ""; ; ) {
          const page = listKeys(keys, { prefix, delimiter, after, max });
          const names = [...page.keys, ...page.common_prefixes];
          expect(names.length).toBeLessThanOrEqual(max);
          files.push(...sortKeys(names));
          if (!page.is_truncated) break;
          after = page.next;
        }
        expect(files).toEqual(everything(keys, prefix, delimiter));
      },
    ),
    { numRuns: 100, seed: 1 },
  );
});

test("keys are compared by their bytes", ({ expect }) => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
    { numRuns: 100, seed: 1 },
  );
});

test.for([
  ["traces", true],
  ["a.b-c", true],
  ["ab", false],
  ["a".repeat(64), false],
  ["Upper", false],
  ["a..b", false],
  ["a.-b", false],
  ["-ab", false],
  ["192.168.0.1", false],
  ["../x", false],
  ["a/b", false],
] as const)("%s is a bucket name: %s", ([name, expected], { expect }) => {
  expect(isBucketName(name)).toBe(expected);
});
