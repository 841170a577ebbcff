import { assumptionsAbout } from "../assumption.ts";

/** §4.8 names the creation of crons and shows nothing else of them. */
export const CRON_ASSUMPTIONS = assumptionsAbout("4.8", "4.8-4", {
  "agent.cron_operations": {
    choice: "create, read, search, count, change, delete",
    reason: "Only creation is named. Public clients make these calls.",
  },
  "agent.cron_schedule": {
    choice: "five fields, a sixth for seconds at the end, @aliases",
    reason: "The format of a schedule is not shown. The public service puts seconds last.",
  },
  "agent.cron_timezone": {
    choice: "UTC",
    reason: "This applies to a schedule without timezone. With one, its fields are local time there.",
  },
  "agent.cron_end_time": {
    choice: "a time without a zone is in UTC",
    reason: "Public clients send a time without a zone when the caller gives one.",
  },
  "agent.cron_daylight_saving": {
    choice: "a skipped time fires at the change, a repeated one once",
    reason: "A daily job always runs exactly once. Steps of hours and minutes are not affected.",
  },
  "agent.cron_missed": {
    choice: "once",
    reason: "After a stop of the emulator, a cron that missed several runs starts only one.",
  },
  "agent.cron_refused_run": {
    choice: "noted in the journal",
    reason: "If a run cannot be created when it is due, the cron continues with the next one.",
  },
  "agent.cron_on_run_completed": {
    choice: "delete",
    reason: "The thread of a stateless cron's run is deleted unless the cron requests keep.",
  },
  "agent.cron_empty_change": {
    choice: 400,
    alternatives: [422],
    reason: "A PATCH without a member changes nothing. The public service was observed to answer 400.",
  },
});
