import { firstIndex } from "../../kernel/first-index.ts";
import type { Instant } from "../../kernel/instant.ts";

/** An instant of a lane. */
export interface Mark {
  readonly at: Instant;
  readonly turn: number;
  readonly label?: string;
  readonly isBad?: boolean;
}

/** The marks of a cell of a lane: those between two instants, with the look of the first one. */
export interface Cell {
  readonly at: Instant;
  readonly turn: number;
  readonly label: string;
  /** The last instant, if there is more than one mark. */
  readonly to?: Instant;
  readonly count?: number;
  /** Whether one of them is a refusal or a failure. */
  readonly bad?: true;
}

const MAX_LABEL_CHARACTERS = 80;

/** Marks in the order of their turns. A search takes a time that grows with the logarithm of their number. */
export function createMarkList() {
  const at: Instant[] = [];
  const turns: number[] = [];
  const labels: string[] = [];
  /** The number of bad marks up to each mark, with those that were dropped. */
  const bads: number[] = [];

  let droppedBads = 0;
  const badUpTo = (index: number) => (index < 0 ? droppedBads : (bads[index] ?? droppedBads));

  function cellOf(begin: number, end: number): Cell {
    const count = end - begin;
    const isBad = badUpTo(end - 1) > badUpTo(begin - 1);
    return {
      at: at[begin] as Instant,
      turn: turns[begin] as number,
      label: (labels[begin] as string).slice(0, MAX_LABEL_CHARACTERS),
      ...(count > 1 && { to: at[end - 1] as Instant, count }),
      ...(isBad && { bad: true }),
    };
  }

  return {
    at,
    labels,
    get length() {
      return at.length;
    },
    add({ at: instant, turn, label = "", isBad = false }: Mark): void {
      at.push(instant);
      turns.push(turn);
      labels.push(label);
      bads.push((bads.at(-1) ?? droppedBads) + Number(isBad));
    },
    /** The instant of the first mark of a turn. */
    instantOf(turn: number): Instant | undefined {
      const index = indexIn(turns, turn);
      return turns[index] === turn ? at[index] : undefined;
    },
    dropBefore(turn: number): void {
      const count = indexIn(turns, turn);
      if (count === 0) return;
      droppedBads = badUpTo(count - 1);
      for (const list of [at, turns, bads]) list.splice(0, count);
      labels.splice(0, count);
    },
    /** The cells of `stepMs` with marks between two instants, both included. Cells begin at multiples of `stepMs`. */
    cells(from: Instant, to: Instant, stepMs: number): readonly Cell[] {
      const cells: Cell[] = [];
      const last = indexIn(at, to + 1);
      for (let index = indexIn(at, from); index < last; ) {
        const end = (Math.floor((at[index] as Instant) / stepMs) + 1) * stepMs;
        const next = Math.min(last, indexIn(at, end, index));
        cells.push(cellOf(index, next));
        index = next;
      }
      return cells;
    },
  };
}

/** The index of the first number that is at least `least`, from `begin` on. Looks close to `begin` first. */
function indexIn(numbers: readonly number[], least: number, begin = 0): number {
  let [low, step] = [begin, 1];
  while (low + step < numbers.length && (numbers[low + step] as number) < least) {
    low += step;
    step *= 2;
  }
  const length = Math.min(numbers.length - low, step + 1);
  return low + firstIndex(length, (index) => (numbers[low + index] as number) >= least);
}
