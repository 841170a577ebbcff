import { expect, test } from "vitest";
import { createFindings } from "../../emulator/oracle/findings.ts";
import { openListing } from "../../emulator/oracle/listing.ts";

const PREFIX = "export/";
/** Above it extra files are read no more to find out whether they are moved ones. */
const MAX_PROBED_OBJECTS = 1000;

const fileAt = (key: string) => ({ key, rows: 1, bytes: 1, cursor: null });

/** A store with these files, of as many bytes as each says, and what is read of it. */
async function listingOf(sizes: Readonly<Record<string, number>>, names: readonly string[]) {
  const read: string[] = [];
  const files = {
    list: async () => ({ keys: Object.keys(sizes), isComplete: true }),
    get: async (key: string) => {
      read.push(key);
      return { bytes: new Uint8Array(sizes[key] ?? 0) };
    },
  };
  return { read, listing: await openListing(files, PREFIX, new Set(names), createFindings()) };
}

test("missing files are looked for among a thousand extra ones, each of which is read once", async () => {
  const names = Array.from({ length: MAX_PROBED_OBJECTS + 5 }, (_, n) => `${PREFIX}extra-${n}`);
  const missing = [`${PREFIX}a`, `${PREFIX}b`];
  const sizes = Object.fromEntries(names.map((name, n) => [name, n < MAX_PROBED_OBJECTS ? 2 : 1]));
  const { read, listing } = await listingOf(sizes, missing);
  for (const key of missing) expect(await listing.fetch(fileAt(key))).toMatchObject({ kind: "missing_file" });
  expect(read).toEqual(names.slice(0, MAX_PROBED_OBJECTS));
  expect(listing.extra()).toEqual(names);
});

test("the last of a thousand extra files is still found", async () => {
  const names = Array.from({ length: MAX_PROBED_OBJECTS }, (_, n) => `${PREFIX}extra-${n}`);
  const sizes = Object.fromEntries(names.map((name, n) => [name, n < MAX_PROBED_OBJECTS - 1 ? 2 : 1]));
  const { listing } = await listingOf(sizes, [`${PREFIX}a`]);
  const last = names.at(-1) as string;
  expect(await listing.fetch(fileAt(`${PREFIX}a`))).toMatchObject({ key: last });
  expect(listing.extra()).not.toContain(last);
});
