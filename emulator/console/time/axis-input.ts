import { useEffect, useRef } from "preact/hooks";
import { panned, type Range, type Scale, zoomed } from "./scale.ts";
import { select, visibleRange, zoom } from "./state.ts";

/** The drawn axis: what input refers to. */
export interface DrawnAxis {
  readonly scale: Scale;
  readonly whole: Range;
}

const WHEEL_ZOOM = 0.002;
const MIN_DRAG_PX = 4;
const PAN_PART = 0.25;
/** The margin on both sides of marks that a click zooms in to. */
const MARGIN_PART = 0.2;
const MIN_MARGIN_MS = 5;

/**
 * Wheel and pinch zoom at the cursor; dragging pans, and Escape cancels that; a double click fits; a click on a mark
 * opens its turn, on a count of marks zooms in to them. The returned box listens.
 */
export function useAxisInput(axis: DrawnAxis) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(axis);
  latest.current = axis;
  useEffect(() => (box.current ? listen(box.current, () => latest.current) : undefined), []);
  return box;
}

function listen(box: HTMLElement, axis: () => DrawnAxis): () => void {
  const leave = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(name: K, react: (event: HTMLElementEventMap[K]) => void) =>
    box.addEventListener(name, react, { signal: leave.signal, passive: false });
  const xAt = ({ clientX }: { clientX: number }) => clientX - box.getBoundingClientRect().left;
  on("wheel", (event) => {
    event.preventDefault();
    const { scale, whole } = axis();
    visibleRange.value =
      Math.abs(event.deltaX) > Math.abs(event.deltaY)
        ? panned(scale, whole, -event.deltaX)
        : zoomed(scale, whole, xAt(event), Math.exp(event.deltaY * WHEEL_ZOOM * (event.ctrlKey ? 5 : 1)));
  });
  on("dblclick", (event) => {
    if (!turnAt(event)) visibleRange.value = null;
  });
  on("click", (event) => {
    const mark = turnAt(event);
    if (!mark) return;
    const [from, to] = [Number(mark.dataset.from), Number(mark.dataset.to)];
    if (mark.dataset.turn) select(Number(mark.dataset.turn));
    else if (to > from) {
      const margin = Math.max(MIN_MARGIN_MS, (to - from) * MARGIN_PART);
      visibleRange.value = { from: from - margin, to: to + margin };
    }
  });
  listenForDrags(box, axis, on, xAt);
  return () => leave.abort();
}

function turnAt({ target }: Event): SVGElement | null {
  return (target as Element).closest<SVGElement>(".mark");
}

type On = <K extends keyof HTMLElementEventMap>(
  name: K,
  react: (event: HTMLElementEventMap[K]) => void,
) => void;

/** One pointer pans and two pinch. The playhead has its own drag. */
function listenForDrags(
  box: HTMLElement,
  axis: () => DrawnAxis,
  on: On,
  xAt: (event: PointerEvent) => number,
): void {
  const pointers = new Map<number, number>();
  let begin:
    | (DrawnAxis & { readonly x: number; readonly distance: number; readonly range: Range | null })
    | null = null;
  const distance = () => {
    const [a = 0, b = a] = pointers.values();
    return Math.abs(a - b);
  };
  const middle = () => [...pointers.values()].reduce((sum, x) => sum + x, 0) / pointers.size;
  const start = () => {
    begin = { ...axis(), x: middle(), distance: distance(), range: visibleRange.peek() };
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !begin) return;
    event.preventDefault();
    event.stopPropagation();
    visibleRange.value = begin.range;
    end();
  };
  const end = () => {
    begin = null;
    pointers.clear();
    window.removeEventListener("keydown", onKey, true);
  };
  on("pointerdown", (event) => {
    if (event.button !== 0 || (event.target as Element).closest(".playhead")) return;
    pointers.set(event.pointerId, xAt(event));
    window.addEventListener("keydown", onKey, true);
    start();
  });
  on("pointermove", (event) => {
    if (!begin || !pointers.has(event.pointerId)) return;
    const dx = xAt(event) - begin.x;
    if (pointers.size === 1 && Math.abs(dx) < MIN_DRAG_PX) return;
    // Only a drag captures the pointer: a click belongs to the mark or bar below it.
    box.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, xAt(event));
    const { scale, whole } = begin;
    visibleRange.value =
      pointers.size > 1
        ? zoomed(scale, whole, begin.x, begin.distance / Math.max(1, distance()))
        : panned(scale, whole, dx);
  });
  for (const name of ["pointerup", "pointercancel"] as const)
    on(name, (event) => {
      pointers.delete(event.pointerId);
      if (pointers.size === 0) end();
      else start();
    });
}

/** The keyboard equivalents of the pointer, on the whole axis. */
export function onAxisKey(event: KeyboardEvent, { scale, whole }: DrawnAxis): void {
  const pan = (part: number) => () => {
    visibleRange.value = panned(scale, whole, -part * scale.width);
  };
  const keys: Readonly<Record<string, () => void>> = {
    "+": () => zoom(scale, whole, -1),
    "=": () => zoom(scale, whole, -1),
    "-": () => zoom(scale, whole, 1),
    "0": () => {
      visibleRange.value = null;
    },
    PageUp: pan(-PAN_PART),
    PageDown: pan(PAN_PART),
  };
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
