import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { toneOf } from "../parts/status.tsx";

const GLYPHS: Readonly<Record<string, string>> = { good: "●", busy: "◐", wait: "○", bad: "✕", off: "⊘" };

/** The partitions of an export, a cell for each UTC day. */
export function Calendar({ runs }: { readonly runs: ExportDetail["runs"] }) {
  if (runs.length === 0) return null;
  const [first] = runs;
  // Monday is the first column.
  const offset = (new Date(first?.start_time ?? 0).getUTCDay() + 6) % 7;
  return (
    <section class="card" aria-label="Partitions">
      <h2>
        Partitions <span class="muted">{runs.length}, one for each UTC day</span>
      </h2>
      <ol class="calendar">
        {runs.map((run, index) => {
          const tone = toneOf(run.status);
          const place = index === 0 ? { gridColumnStart: String(offset + 1) } : {};
          const day = run.start_time.slice(0, 10);
          return (
            <li key={run.id} class={`day ${tone}`} style={place} title={`${day}: ${run.status}`}>
              <span class="day-date mono">{day.slice(5)}</span>
              <span>
                <span aria-hidden="true">{GLYPHS[tone] ?? "·"}</span> {run.rows}
                <span class="hidden"> rows, {run.status}</span>
              </span>
              {run.attempt > 0 && <span class="day-retries">↻ {run.attempt}</span>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
