import { agentRunCreateFields, fieldNamesOf, selecting } from "../agent/resources.ts";
import {
  assumed,
  boolean,
  dateTime,
  doc as docOf,
  freeForm,
  ignoredUnless,
  integer,
  type Keywords,
  maybe,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  text,
  uuid,
} from "../fields.ts";

const doc = (description: string, more: Keywords = {}) =>
  docOf("4.8-4", description, { "x-assumption": "agent.cron_operations", ...more });

const scheduleField = text(
  doc("When it fires.", { minLength: 1, maxLength: 255, "x-assumption": "agent.cron_schedule" }),
);

const planFields = {
  timezone: maybe(
    text(doc("IANA name of the zone that the schedule means.", { "x-assumption": "agent.cron_timezone" })),
  ),
  end_time: maybe(
    text(
      doc("Instant after which no run is started.", {
        title: "an ISO 8601 time, such as 2026-01-01T00:00:00Z (in UTC if it has no zone)",
        pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?$`,
        "x-assumption": "agent.cron_end_time",
      }),
    ),
  ),
  enabled: maybe(boolean(doc("Whether it fires."))),
  on_run_completed: maybe(
    oneOf(
      ["delete", "keep"],
      doc("What becomes of the thread that a run without one was given.", {
        "x-assumption": "agent.cron_on_run_completed",
      }),
    ),
  ),
  user_id: maybe(text(doc("Accepted without effect.", ignoredUnless()))),
};

const creation = { schedule: scheduleField, ...planFields };

/** The words of a cron itself; what is left of its body is the body of its runs. */
export const CRON_WORDS = Object.keys(creation) as readonly (keyof typeof creation)[];

/** §4.8: what a run takes, and when to start it. */
export const cronCreate = object(
  { ...agentRunCreateFields, ...creation },
  doc("Runs to start by the clock."),
);

/** Only what is to change. */
export const cronPatch = object(
  {
    ...agentRunCreateFields,
    assistant_id: optional(agentRunCreateFields.assistant_id),
    schedule: optional(scheduleField),
    ...planFields,
  },
  doc("Changes of a cron."),
);

const cronFields = object(
  {
    cron_id: uuid(doc("Identifier of the cron.")),
    assistant_id: uuid(doc("Assistant of its runs.")),
    thread_id: nullable(uuid(doc("Thread of its runs; null when each gets a new one."))),
    on_run_completed: nullable(oneOf(["delete", "keep"], doc("What becomes of such a new thread."))),
    end_time: nullable(dateTime(doc("Instant after which no run is started."))),
    schedule: text(doc("When it fires.")),
    timezone: nullable(text(doc("Zone that the schedule means; UTC when null."))),
    created_at: dateTime(doc("When it was created.")),
    updated_at: dateTime(doc("When it last changed.")),
    user_id: nullable(text(doc("Always null."))),
    payload: freeForm(doc("Body of the runs that it starts.")),
    next_run_date: nullable(dateTime(doc("When it fires next, UTC."))),
    metadata: freeForm(doc("Notes of the caller.")),
    enabled: boolean(doc("Whether it fires.")),
  },
  doc("A plan to start runs by the clock."),
);

export const cron = assumed(cronFields, "agent.cron_operations");

/** A cron of which only some fields were asked for. */
export const cronPart = partial(cron);

/** Clients may also ask for the time of the server, which a cron does not tell. */
const SELECTABLE = [...fieldNamesOf(cron), "now"];

const filters = {
  assistant_id: maybe(text(doc("Only crons of this assistant.", { maxLength: 255 }))),
  thread_id: maybe(uuid(doc("Only crons of this thread."))),
  enabled: maybe(boolean(doc("Only crons that do, or do not, fire."))),
  metadata: maybe(freeForm(doc("Only crons whose metadata holds this."))),
};

export const cronSearch = object(
  {
    ...filters,
    limit: maybe(integer(doc("Most entries.", { minimum: 1, maximum: 1000, default: 10 }))),
    offset: maybe(integer(doc("Number of entries to skip.", { minimum: 0, default: 0 }))),
    sort_by: maybe(
      oneOf(
        ["cron_id", "assistant_id", "thread_id", "created_at", "updated_at", "next_run_date", "end_time"],
        doc("What to sort by; created_at when left out."),
      ),
    ),
    sort_order: maybe(oneOf(["asc", "desc"], doc("Direction; the newest first when left out."))),
    select: selecting(SELECTABLE),
  },
  doc("Which crons to find."),
);

export const cronCount = object(filters, doc("Which crons to count."));

export const cronTotal = assumed(
  integer(doc("How many there are.", { minimum: 0 })),
  "agent.cron_operations",
);
