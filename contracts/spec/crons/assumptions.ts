import type { Assumption } from "../assumption.ts";

/** §4.8 names the creation of crons and shows nothing else of them. */
export const CRON_ASSUMPTIONS = {
  "agent.cron_operations": {
    section: "4.8",
    requirement: "4.8-4",
    choice: "create, read, search, count, change, delete",
    alternatives: [],
    reason: "Only creation is named; these are the calls that public clients make.",
  },
  "agent.cron_schedule": {
    section: "4.8",
    requirement: "4.8-4",
    choice: "five fields, a sixth for seconds at the end, @aliases",
    alternatives: [],
    reason: "The form of a schedule is not shown; the public service puts seconds last.",
  },
  "agent.cron_timezone": {
    section: "4.8",
    requirement: "4.8-4",
    choice: "UTC",
    alternatives: [],
    reason: "A schedule without timezone; with one its fields are local time there.",
  },
  "agent.cron_daylight_saving": {
    section: "4.8",
    requirement: "4.8-4",
    choice: "a skipped time fires at the change, a repeated one once",
    alternatives: [],
    reason: "A daily job neither fails to run nor runs twice; steps of hours and minutes run through.",
  },
  "agent.cron_missed": {
    section: "4.8",
    requirement: "4.8-4",
    choice: "once",
    alternatives: [],
    reason: "Runs missed while the emulator was stopped are not made up for one by one.",
  },
  "agent.cron_refused_run": {
    section: "4.8",
    requirement: "4.8-4",
    choice: "noted in the journal",
    alternatives: [],
    reason: "When a run cannot be created at its time the cron goes on with the next one.",
  },
  "agent.cron_on_run_completed": {
    section: "4.8",
    requirement: "4.8-4",
    choice: "delete",
    alternatives: [],
    reason: "What becomes of the thread of a stateless cron's run unless the cron says keep.",
  },
  "agent.cron_empty_change": {
    section: "4.8",
    requirement: "4.8-4",
    choice: 400,
    alternatives: [],
    reason: "A PATCH without a member asks for nothing; the public service was seen to answer so.",
  },
} as const satisfies Record<string, Assumption>;
