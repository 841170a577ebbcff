import { expect, test } from "vitest";
import { createLineWriter } from "../../../emulator/storage/line-writer.ts";
import { rowOf, splitLine, writeRow } from "../../../emulator/storage/rows/lines.ts";
import { keptText } from "../../../emulator/subjects/json-text.ts";
import { sampleRow } from "./open-store.ts";

const CONTENT = { messages: [{ content: 'ü "quoted"\n' }], usage_metadata: { total_tokens: 3 } };
const PLACE = { sequence: 7, previous: -1 };

function lineOf(row: Parameters<typeof writeRow>[1]): Buffer {
  const writer = createLineWriter();
  writeRow(writer, row, PLACE);
  return writer.bytes;
}

test("a column that is JSON text is stored in the same bytes as its value", () => {
  const row = sampleRow(1, { inputs: CONTENT, outputs: null, extra: [] });
  const text = keptText(Buffer.from(JSON.stringify(CONTENT)));
  const line = lineOf({ ...row, inputs: text });
  expect(text).toBeDefined();
  expect(line).toEqual(lineOf(row));
  expect(rowOf(line)).toMatchObject(row);
  expect(splitLine(line).json("inputs")?.toString()).toBe(JSON.stringify(CONTENT));
  expect(splitLine(line).json("outputs")).toBeNull();
  expect(splitLine(line).json("extra")?.toString()).toBe("[]");
});

test("a line that could not be written leaves nothing of itself before the next one", () => {
  const writer = createLineWriter();
  const row = sampleRow(1);
  const failing = { toJSON: () => expect.fail("no text") };
  writeRow(writer, row, PLACE);
  expect(() => writeRow(writer, { ...row, outputs: failing }, PLACE)).toThrow("no text");
  expect(writer.bytes).toEqual(lineOf(row));
  writeRow(writer, row, PLACE);
  expect(writer.bytes).toEqual(Buffer.concat([lineOf(row), lineOf(row)]));
});
