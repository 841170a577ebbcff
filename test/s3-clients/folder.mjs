// The files that the journeys carry, and how they are compared.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

const PIECE_BYTES = 1024 * 1024;
const LARGE_PIECES = 200;

const SMALL = {
  "a.txt": "one",
  "empty.txt": "",
  "sub/name with spaces & signs+.txt": "two",
  "sub/deep/ünïcödé 日本.txt": "three",
};

/** A tree of small files, and one file of 200 MB. */
export function makeFiles(folder) {
  const tree = join(folder, "tree");
  for (const [name, text] of Object.entries(SMALL)) {
    const path = join(tree, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const large = join(folder, "large.bin");
  const fd = openSync(large, "w");
  for (let piece = 0; piece < LARGE_PIECES; piece += 1) {
    // All chunks differ, so that the test notices a wrong order.
    const seed = createHash("sha256").update(String(piece)).digest();
    writeSync(fd, Buffer.alloc(PIECE_BYTES, seed));
  }
  closeSync(fd);
  return { tree, large };
}

export function assertSameFile(one, other) {
  assert.equal(digestOf(one), digestOf(other), `${one} and ${other} differ`);
}

/** Both folders have the same files with the same content. */
export function assertSameFolder(one, other) {
  assert.deepEqual(contentOf(one), contentOf(other));
}

function contentOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    files.sort().map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]),
  );
}

function digestOf(path) {
  const hash = createHash("sha256");
  const fd = openSync(path, "r");
  const buffer = Buffer.alloc(PIECE_BYTES);
  for (let read = 1; read > 0; ) {
    read = readSync(fd, buffer);
    hash.update(buffer.subarray(0, read));
  }
  closeSync(fd);
  return hash.digest("hex");
}
