import { useRef } from "preact/hooks";

interface DragParts<T> {
  /** The state before the drag. */
  readonly begin: (event: PointerEvent) => T;
  readonly move?: (event: PointerEvent, before: T) => void;
  readonly drop?: (event: PointerEvent, before: T) => void;
  /** Restores the state before the drag. */
  readonly cancel: (before: T) => void;
}

/** Handlers for dragging an element. Escape cancels a drag: releasing the pointer then has no effect. */
export function useDrag<T>(parts: DragParts<T>) {
  const latestParts = useRef(parts);
  latestParts.current = parts;
  // Each rendering has its own functions, so the listener of the drag is kept with it.
  const drag = useRef<{ readonly before: T; readonly listener: (event: KeyboardEvent) => void } | null>(null);

  function finish(use: (before: T) => void): void {
    const ended = drag.current;
    drag.current = null;
    if (!ended) return;
    window.removeEventListener("keydown", ended.listener, true);
    use(ended.before);
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    finish((before) => latestParts.current.cancel(before));
  }

  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      drag.current = { before: latestParts.current.begin(event), listener: onKey };
      window.addEventListener("keydown", onKey, true);
    },
    onPointerMove(event: PointerEvent) {
      if (drag.current) latestParts.current.move?.(event, drag.current.before);
    },
    onPointerUp: (event: PointerEvent) => finish((before) => latestParts.current.drop?.(event, before)),
    onPointerCancel: () => finish((before) => latestParts.current.cancel(before)),
  };
}
