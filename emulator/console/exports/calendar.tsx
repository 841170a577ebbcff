import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { addressWith } from "../model/router.ts";
import { toneOf } from "../parts/status.tsx";
import { showRun } from "./runs.tsx";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const GLYPHS: Readonly<Record<string, string>> = { good: "●", busy: "◐", wait: "○", bad: "✕", off: "⊘" };

/** The partitions of an export: a cell for each UTC day, with a link to its run. */
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
      <div class="calendar weekdays" aria-hidden="true">
        {WEEKDAYS.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ol class="calendar">
        {runs.map((run, index) => {
          const tone = toneOf(run.status);
          const gridPosition = index === 0 ? { gridColumnStart: String(offset + 1) } : {};
          const day = run.start_time.slice(0, 10);
          return (
            <li key={run.id} style={gridPosition}>
              <a
                class={`day ${tone}${run.rows === 0 ? " empty-day" : ""}`}
                href={addressWith({ run: run.id })}
                title={`${day}: ${run.status}`}
                onClick={() => showRun(run.id)}
              >
                <span class="day-date mono">{day.slice(5)}</span>
                <span>
                  <span aria-hidden="true">{GLYPHS[tone] ?? "·"}</span> {run.rows}
                  <span class="hidden"> rows, {run.status}</span>
                </span>
                {run.attempt > 0 && (
                  <span class="day-retries">
                    <span aria-hidden="true">↻</span> {run.attempt}
                    <span class="hidden"> failed attempts</span>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
