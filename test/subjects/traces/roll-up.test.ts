import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import {
  columnsOf,
  type Figures,
  figuresOf,
  NO_FIGURES,
  ownRow,
  type StoredRow,
  withChildChange,
  withChildrenOf,
} from "../../../emulator/subjects/traces/roll-up.ts";
import { buildRow, rowUnder } from "../../../emulator/subjects/traces/row.ts";

const NOW = "2026-01-01T00:00:00.000000Z";

function rowWith(input: object): TraceRow {
  return rowUnder(
    "s",
    buildRow("00000000-0000-4000-8000-000000000001", input, NOW, () => undefined),
  );
}

const tokens = fc.option(fc.nat(1000));
const cost = fc.option(fc.nat(1000).map((cents) => String(cents / 100)));
const figures: fc.Arbitrary<Figures> = fc.record({
  tokens: fc.tuple(tokens, tokens, tokens),
  costs: fc.tuple(cost, cost, cost),
});

describe("what children add up to", () => {
  test("is the sum of the children's final figures, in whatever order they changed", () => {
    const child = fc.array(figures, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(child, { maxLength: 5 }), (children) => {
        let parent: StoredRow = rowWith({});
        const longest = Math.max(0, ...children.map(({ length }) => length));
        for (let step = 0; step < longest; step += 1)
          for (const versions of children) {
            const after = versions[step];
            if (after) parent = withChildChange(parent, versions[step - 1] ?? NO_FIGURES, after);
          }
        const last = children.map((versions) => versions.at(-1));
        const sum = (read: (figures: Figures) => unknown) =>
          last.reduce((total, one) => total + Number((one && read(one)) ?? 0), 0);
        expect(parent.total_tokens ?? 0).toBe(sum((one) => one.tokens[0]));
        expect(parent.completion_tokens ?? 0).toBe(sum((one) => one.tokens[2]));
        expect(Number(parent.prompt_cost ?? 0)).toBeCloseTo(
          sum((one) => one.costs[1]),
          9,
        );
      }),
    );
  });

  test("is replaced by the row's own figures, and shows again without them", () => {
    const child: Figures = { tokens: [9, 6, 3], costs: ["0.5", null, null] };
    const parent = withChildChange(rowWith({ total_tokens: 4 }), NO_FIGURES, child);
    expect(figuresOf(parent)).toEqual({ tokens: [4, null, null], costs: ["0.5", null, null] });
    expect(figuresOf(ownRow(parent))).toEqual({ tokens: [4, null, null], costs: [null, null, null] });
    const without = withChildrenOf({ ...ownRow(parent), total_tokens: null }, parent);
    expect(figuresOf(without)).toEqual(child);
    expect(columnsOf(without)).not.toHaveProperty("below");
  });
});
