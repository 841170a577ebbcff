import type { Instant } from "./instant.ts";

/** Something that is due at an instant of virtual time. */
export interface DueEvent {
  /** Order of scheduling; ties at one instant go by it. */
  readonly number: number;
  readonly at: Instant;
  readonly kind: string;
  /** The id of its subject, for display. */
  readonly ref: string;
  /** JSON; includes the state that the event expects, so that a stale event is recognised. */
  readonly data: object;
  /** What the turn that scheduled it was about. */
  readonly cause: string;
}

/** Due events, earliest first; those of one instant in order of scheduling. */
export interface EventQueue<Event extends DueEvent> {
  readonly size: number;
  add(event: Event): void;
  peek(): Event | undefined;
  /** Removes the earliest event if it is due at this instant. */
  takeDue(now: Instant): Event | undefined;
  /** The events about a subject. */
  numbersOf(ref: string): readonly number[];
  remove(numbers: readonly number[]): void;
  /** All events in the order in which they will fire. */
  list(): readonly Event[];
  /** All events in no order that matters, for a queue that begins with them. */
  unordered(): readonly Event[];
}

/** A binary heap by (at, number). */
export function createEventQueue<Event extends DueEvent>(events: readonly Event[] = []): EventQueue<Event> {
  const heap: Event[] = [];
  const queue: EventQueue<Event> = {
    get size() {
      return heap.length;
    },
    add(event) {
      heap.push(event);
      siftUp(heap, heap.length - 1);
    },
    peek: () => heap[0],
    takeDue(now) {
      const first = heap[0];
      if (first === undefined || first.at > now) return undefined;
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return first;
      heap[0] = last;
      siftDown(heap, 0);
      return first;
    },
    numbersOf: (ref) => heap.filter((event) => event.ref === ref).map(({ number }) => number),
    remove(numbers) {
      const removedNumbers = new Set(numbers);
      for (const event of heap.splice(0)) if (!removedNumbers.has(event.number)) queue.add(event);
    },
    list: () => [...heap].sort(byTurn),
    unordered: () => [...heap],
  };
  for (const event of events) queue.add(event);
  return queue;
}

function byTurn(a: DueEvent, b: DueEvent): number {
  return a.at - b.at || a.number - b.number;
}

function siftUp(heap: DueEvent[], start: number): void {
  let child = start;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!swapWhenLater(heap, parent, child)) return;
    child = parent;
  }
}

function siftDown(heap: DueEvent[], start: number): void {
  let parent = start;
  for (;;) {
    const left = 2 * parent + 1;
    const right = left + 1;
    if (left >= heap.length) return;
    const child =
      right < heap.length && byTurn(heap[right] as DueEvent, heap[left] as DueEvent) < 0 ? right : left;
    if (!swapWhenLater(heap, parent, child)) return;
    parent = child;
  }
}

function swapWhenLater(heap: DueEvent[], parent: number, child: number): boolean {
  const [above, below] = [heap[parent] as DueEvent, heap[child] as DueEvent];
  if (byTurn(below, above) >= 0) return false;
  heap[parent] = below;
  heap[child] = above;
  return true;
}
