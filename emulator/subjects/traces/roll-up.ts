import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { addDecimals, negateDecimal } from "./decimal.ts";
import { parseCount } from "./usage.ts";

/**
 * A row with the totals of its children, which are not a column. A row without tokens of its own shows the sum
 * of its children's; the same holds for costs. A row with its own figures shows only these, so that no token
 * is counted twice in its ancestors.
 */
export interface StoredRow extends TraceRow {
  readonly below?: ChildTotals;
}

type Totals<T> = readonly [total: T | null, prompt: T | null, completion: T | null];

type MeasureName = "tokens" | "costs";

interface ChildTotals {
  readonly tokens: Totals<number>;
  readonly costs: Totals<string>;
  /** The measures that the row itself reports. */
  readonly own: readonly MeasureName[];
}

/** The tokens and costs that a row contributes to its parent. */
export interface Figures {
  readonly tokens: Totals<number>;
  readonly costs: Totals<string>;
}

/** Figures of a row with neither tokens nor costs. */
export const NO_FIGURES: Figures = { tokens: [null, null, null], costs: [null, null, null] };

/** The figures shown by a row: its own, or its children's totals. */
export function figuresOf(row: TraceRow): Figures {
  return {
    tokens: [row.total_tokens, row.prompt_tokens, row.completion_tokens],
    costs: [row.total_cost, row.prompt_cost, row.completion_cost],
  };
}

/** Whether figures are equal, so that propagation can stop; costs are canonical numerals. */
export function sameFigures(a: Figures, b: Figures): boolean {
  return [0, 1, 2].every((at) => a.tokens[at] === b.tokens[at] && a.costs[at] === b.costs[at]);
}

/** The columns of a row, without its children's totals. */
export function columnsOf(row: StoredRow): TraceRow {
  if (!row.below) return row;
  const { below: _below, ...columns } = row;
  return columns;
}

/** The row without its children's figures. */
export function ownRow(row: StoredRow): TraceRow {
  const { below, ...own } = row;
  if (below === undefined) return own;
  return {
    ...own,
    ...(below.own.includes("tokens") ? {} : tokenFields(NO_FIGURES.tokens)),
    ...(below.own.includes("costs") ? {} : costFields(NO_FIGURES.costs)),
  };
}

/** A new version of a row with the children's totals of the earlier version. */
export function withChildrenOf(own: TraceRow, earlier: StoredRow): StoredRow {
  return earlier.below === undefined ? own : withChildTotals(own, ownMeasures(own), earlier.below);
}

/** The row after the figures of one of its children changed from `before` to `after`. */
export function withChildChange(row: StoredRow, before: Figures, after: Figures): StoredRow {
  const { tokens, costs } = row.below ?? NO_FIGURES;
  return withChildTotals(row, row.below?.own ?? ownMeasures(row), {
    tokens: changed(tokens, before.tokens, after.tokens, adjustTokens),
    costs: changed(costs, before.costs, after.costs, adjustCosts),
  });
}

function ownMeasures(own: TraceRow): readonly MeasureName[] {
  const { tokens, costs } = figuresOf(own);
  const hasTokens = tokens.some((figure) => figure !== null);
  const hasCosts = costs.some((figure) => figure !== null);
  return [...(hasTokens ? ["tokens" as const] : []), ...(hasCosts ? ["costs" as const] : [])];
}

/** The row with these totals, which it shows for the measures that are not its own. */
function withChildTotals(row: TraceRow, own: readonly MeasureName[], totals: Figures): StoredRow {
  const { tokens, costs } = totals;
  // One copy: a trace is copied once for each of its runs and their depth.
  return {
    ...row,
    ...(own.includes("tokens") ? {} : tokenFields(tokens)),
    ...(own.includes("costs") ? {} : costFields(costs)),
    below: { tokens, costs, own },
  };
}

function tokenFields([total_tokens, prompt_tokens, completion_tokens]: Totals<number>) {
  return { total_tokens, prompt_tokens, completion_tokens };
}

function costFields([total_cost, prompt_cost, completion_cost]: Totals<string>) {
  return { total_cost, prompt_cost, completion_cost };
}

function changed<T>(
  sums: Totals<T>,
  before: Totals<T>,
  after: Totals<T>,
  adjust: (sum: T | null, less: T | null, more: T | null) => T | null,
): Totals<T> {
  return [
    adjust(sums[0], before[0], after[0]),
    adjust(sums[1], before[1], after[1]),
    adjust(sums[2], before[2], after[2]),
  ];
}

/** An empty sum is null, not 0: a chain without model calls has no token count. */
function adjustTokens(sum: number | null, less: number | null, more: number | null): number | null {
  if (less === null && more === null) return sum;
  return parseCount((sum ?? 0) - (less ?? 0) + (more ?? 0)) ?? sum;
}

function adjustCosts(sum: string | null, less: string | null, more: string | null): string | null {
  if (less === null && more === null) return sum;
  return addDecimals(addDecimals(sum ?? "0", negateDecimal(less ?? "0")), more ?? "0");
}
