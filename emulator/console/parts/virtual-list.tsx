import type { ComponentChild } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** Renders a row. */
  readonly row: (index: number) => ComponentChild;
  /** The row to keep visible; null for the end, unless the user has scrolled away from it. */
  readonly focus: number | null;
  readonly onKey?: (event: KeyboardEvent) => void;
  /** Called when other rows are rendered: from `first` to the one before `end`. */
  readonly onRange: (first: number, end: number) => void;
}

/** Rows rendered beyond the visible ones. */
const OVERSCAN_ROWS = 12;

/** A long list that renders only its visible rows. */
export function VirtualList({ count, rowHeight, label, row, focus, onKey, onRange }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const end = useRef(0);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!element || focus === null) return;
    const at = focus * rowHeight;
    const minTop = at + rowHeight - element.clientHeight;
    element.scrollTop = Math.max(minTop, Math.min(at, element.scrollTop));
  }, [focus, rowHeight, height]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const last = element.scrollHeight - element.clientHeight;
    const isAtEnd = element.scrollTop > Math.min(end.current, last) - rowHeight;
    if (focus === null && isAtEnd) element.scrollTop = last;
    end.current = last;
  }, [focus, count, rowHeight, height]);
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN_ROWS);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN_ROWS);
  useEffect(() => onRange(first, last), [first, last, count]);
  const indices = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div
      class="virtual"
      ref={box}
      role="list"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKey}
    >
      <div class="virtual-space" style={{ height: `${count * rowHeight}px` }}>
        {indices.map((index) => (
          <div
            class="virtual-row"
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            key={index}
            style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
