import { call, timed } from "../harness/calls.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { destinationOf, openServers } from "../harness/servers.mjs";
import { PROJECT, postOf } from "../rows.mjs";

const BEGIN = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const YEAR_HOURS = 8_760;
const ROWS_PER_REQUEST = 500;
const SETTLE_MS = 11 * 60_000;
/** The years of each world in a round. */
const WORLDS = { "a year": [1, 1, 1, 1], "four years": [4] };

const iso = (instant) => new Date(instant).toISOString();

/**
 * Hourly exports of a schedule, in one call of the clock, over windows with this many rows each. Both sides work for as many
 * years in a round: V8 clears what has lived long about once in three of them, which the median of rounds of one year would
 * leave out, and that of rounds of four would not.
 */
function scheduled({ rowsPerHour, atMost, ...figure }) {
  return {
    ...figure,
    per: "schedule",
    sides: Object.keys(WORLDS),
    targets: [{ atMost }, { of: "four years", against: "a year", cost: 4.1 }],
    async open({ sides, rows: hours = YEAR_HOURS }) {
      const servers = await openServers(sides, () =>
        launchEmulator(["--ephemeral", "--clock", "frozen", "--now", iso(BEGIN), "--rate-limits", "off"]),
      );
      return {
        round: (side) => roundOf(servers[side], WORLDS[side], { hours, rowsPerHour }),
        close: servers.close,
      };
    },
  };
}

/** One world after the other. */
async function roundOf(server, worlds, { hours, rowsPerHour }) {
  const round = { items: worlds.length, wallMs: 0, cpuMs: 0 };
  for (const years of worlds) {
    const { wallMs, cpuMs } = await worldOf(server, years * hours, rowsPerHour);
    round.wallMs += wallMs;
    round.cpuMs += cpuMs;
  }
  return round;
}

async function worldOf(server, hours, rowsPerHour) {
  const { url } = server;
  await call(url, "POST", "/_emulator/v1/reset", {});
  const bulk_export_destination_id = await destinationOf(url);
  await call(url, "POST", "/sessions", { id: PROJECT, name: "bench" });
  await sendRows(url, hours, rowsPerHour);
  const { id } = await call(url, "POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id,
    session_id: PROJECT,
    start_time: iso(BEGIN),
    interval_hours: 1,
  });
  const sample = await timed(server, 1, () =>
    call(url, "POST", "/_emulator/v1/clock/advance", { to: iso(BEGIN + hours * HOUR + SETTLE_MS) }),
  );
  const runs = await call(url, "GET", `/api/v1/bulk-exports/runs?source_bulk_export_id=${id}`);
  const done = runs.filter(
    ({ status, rows_exported }) => status === "COMPLETED" && rows_exported === rowsPerHour,
  );
  if (done.length !== hours) throw new Error(`${done.length} runs of ${hours} have exported their rows`);
  return sample;
}

async function sendRows(url, hours, perHour) {
  const count = hours * perHour;
  for (let from = 0; from < count; from += ROWS_PER_REQUEST) {
    const post = Array.from({ length: Math.min(ROWS_PER_REQUEST, count - from) }, (_, at) => ({
      ...postOf(from + at, PROJECT),
      start_time: iso(BEGIN + ((from + at) / perHour) * HOUR),
      end_time: undefined,
      dotted_order: undefined,
      trace_id: undefined,
    }));
    await call(url, "POST", "/runs/batch", { post });
  }
}

export const figures = [
  scheduled({ figure: "a year of hourly exports of nothing", rowsPerHour: 0, atMost: 600, rounds: 7 }),
  scheduled({
    figure: "a year of hourly exports of 5 rows",
    rowsPerHour: 5,
    atMost: 8_000,
    rounds: 5,
    quick: { rounds: 1, warmUps: 0 },
  }),
];
