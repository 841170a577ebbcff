import { createRequire } from "node:module";
import type { Cron } from "croner";
import type { ScheduleProblem, Schedules } from "./schedule.ts";

const ALIASES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const FORM =
  "Give five fields (minute hour day month weekday), optionally a sixth for seconds, or an alias such as @daily.";

const MAX_CACHED = 1000;

let croner: typeof import("croner") | undefined;

/**
 * Schedules parsed by the library croner, loaded on first use. Only its computation of the next run after a
 * given instant is used, not its clock and timers.
 */
export function createSchedules(): Schedules {
  const jobs = new Map<string, Cron>();

  function jobFor(schedule: string, timezone: string | null): Cron {
    const key = `${timezone ?? ""} ${schedule}`;
    const cached = jobs.get(key);
    if (cached) return cached;
    croner ??= createRequire(import.meta.url)("croner") as typeof import("croner");
    const job = new croner.Cron(secondsFirst(schedule), {
      paused: true,
      timezone: timezone ?? "UTC",
      mode: "6-part",
    });
    if (jobs.size >= MAX_CACHED) jobs.clear();
    jobs.set(key, job);
    return job;
  }

  const next: Schedules["next"] = (schedule, timezone, after) =>
    jobFor(schedule, timezone).nextRun(new Date(after))?.getTime() ?? null;

  return {
    next,
    problem(schedule, timezone) {
      if (timezone !== null && !isTimezone(timezone)) return timezoneProblem(timezone);
      if (fieldsOf(schedule) === undefined) return scheduleProblem(schedule, FORM);
      try {
        const never = next(schedule, timezone, 0) === null;
        return never ? scheduleProblem(schedule, "The schedule never matches a date.") : undefined;
      } catch (error) {
        return scheduleProblem(schedule, `${reasonIn(error)} ${FORM}`);
      }
    },
  };
}

/** Moves the seconds field from the end to the front, where the library expects it. */
function secondsFirst(schedule: string): string {
  const [minute, hour, day, month, weekday, second = "0"] = fieldsOf(schedule) ?? [];
  return [second, minute, hour, day, month, weekday].join(" ");
}

function fieldsOf(schedule: string): readonly string[] | undefined {
  const text = schedule.trim();
  const fields = (ALIASES[text.toLowerCase()] ?? text).split(/\s+/);
  return fields.length === 5 || fields.length === 6 ? fields : undefined;
}

function isTimezone(name: string): boolean {
  // Offsets such as +02:00 are not zone names, though some engines accept them.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function timezoneProblem(timezone: string): ScheduleProblem {
  return {
    field: "timezone",
    message: `Invalid timezone: '${timezone}'.`,
    hint: "Use IANA timezone format (e.g. 'America/New_York').",
  };
}

function scheduleProblem(schedule: string, hint: string): ScheduleProblem {
  return { field: "schedule", message: `Invalid schedule: '${schedule}'.`, hint };
}

/** The library's error message as a sentence, without the library's name. */
function reasonIn(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^Cron\w+: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, ".")}`;
}
