import { counted } from "../../contracts/report/counted.ts";
import { EXPORT_STATUS_NAMES } from "../../contracts/spec/lifecycle.ts";
import { parseUntil, UNTIL_FORMS } from "../../emulator/client/until.ts";
import type { AdvanceResult, AdvanceTarget, ClockView } from "../../emulator/client/views.ts";
import { clientCommand } from "../client-command.ts";
import { type Command, type CommandGroup, type Flags, UsageError } from "../command.ts";
import { toCliHints } from "../hints.ts";
import { advanceClock } from "../long-work.ts";
import { readCount, readDuration, textOf } from "../values.ts";

const MAX_EVENTS = 20;

const DRY_RUN: Flags = { "dry-run": { help: "print what would happen; change nothing" } };

export const command: CommandGroup = {
  summary: "the virtual time of a running emulator: read it, move it, freeze it, let it flow",
  usual: "show",
  actions: {
    show: clientCommand({
      summary: "print the time and what is due next",
      reads: true,
      send: ({ client }) => client.clock.read(),
      lines: clockLines,
    }),
    advance: moveCommand({
      summary: "move the clock by a duration, such as 6h, 1d12h or PT6H10M",
      operands: ["<duration>"],
      target: advanceTarget,
    }),
    until: moveCommand({
      summary: `move the clock to a time, or until an export has a status: ${EXPORT_STATUS_NAMES.join(", ")} (default COMPLETED)`,
      operands: ["<time or export id>", "[status]"],
      flags: { within: { value: "<duration>", help: "with an export: how far to look ahead (default 30d)" } },
      target: untilTarget,
    }),
    next: moveCommand({
      summary: "move the clock through the next due events (default 1)",
      operands: ["[count]"],
      target: ([count = "1"]) => ({ next: readCount(count, "clock next") }),
    }),
    freeze: clientCommand({
      summary:
        "stop the clock; it then moves only with the other `clock` commands, and for requests that wait for a run (clock.follow_waits)",
      send: ({ client }) => client.clock.freeze(),
      lines: ({ now }) => [`${now}, frozen`],
    }),
    flow: clientCommand({
      summary: "let the clock run on from its present time, at a rate (default 1; 60: a minute per second)",
      operands: ["[rate]"],
      prepare({ operands: [text = "1"] }) {
        const rate = Number(text.replace(/x$/, ""));
        if (!(rate > 0 && rate <= 1_000_000))
          throw new UsageError(`clock flow: "${text}" is not valid; give a rate above 0, such as 60`);
        return ({ client }) => client.clock.flow(rate);
      },
      lines: ({ now, rate }) => [`${now}, flowing at rate ${rate}`],
    }),
  },
};

interface Move {
  readonly summary: string;
  readonly operands: readonly string[];
  readonly flags?: Flags;
  target(operands: readonly string[], within: string | undefined): AdvanceTarget;
}

/** An action that moves the clock. It fails if the clock did not reach the target. */
function moveCommand({ summary, operands, flags = {}, target }: Move): Command {
  return clientCommand({
    summary,
    operands,
    flags: { ...flags, ...DRY_RUN },
    prepare(invocation) {
      const to = target(invocation.operands, textOf(invocation, "within"));
      const isDry = invocation.flags["dry-run"] === true;
      return (world, work) => (isDry ? world.client.clock.foresee(to) : advanceClock(world, work, to));
    },
    lines: (result) => advanceLines(result, { flags, operands }),
    isGood: ({ settled, reached = true }) => settled && reached,
  });
}

function advanceTarget([duration = ""]: readonly string[]): AdvanceTarget {
  if (duration.startsWith("-"))
    throw new UsageError(
      `clock advance: "${duration}" is negative, and time only moves forward. Start over with \`emulator reset\`, or fork an earlier state with \`emulator world create --from main --at <time>\`.`,
    );
  return { by: readDuration(duration, "clock advance") };
}

function untilTarget([end = "", status]: readonly string[], within: string | undefined): AdvanceTarget {
  const words = status === undefined ? end : `${end} ${status}`;
  const target = parseUntil(words);
  if (target === undefined) throw new UsageError(`clock until: "${words}" is not valid; give ${UNTIL_FORMS}`);
  if (within === undefined) return target;
  if ("to" in target)
    throw new UsageError("--within: it is only valid with an export id; remove it, or name an export");
  return { ...target, within: readDuration(within, "--within") };
}

function clockLines({ now, mode, rate, behind_ms, next, next_total, in_flight }: ClockView): string[] {
  const pace = mode === "flowing" ? ` at rate ${rate}` : "";
  const behind = behind_ms > 0 ? `; ${behind_ms} ms behind` : "";
  return [
    `${now}, ${mode}${pace}${behind}; ${counted(next_total, "event")} due, ${counted(in_flight.length, "effect")} in flight`,
    ...next.slice(0, MAX_EVENTS).map(({ at, kind, ref }) => `  ${at}  ${kind}  ${ref}`),
    ...in_flight.slice(0, MAX_EVENTS).map(({ kind, ref }) => `  in flight  ${kind}  ${ref}`),
  ];
}

/** The fired events and, if the target was not reached, the reason. */
function advanceLines(
  { to, fired, fired_total, reached, why = "", in_flight = [] }: AdvanceResult,
  command: Pick<Command, "flags" | "operands">,
): string[] {
  const rest = fired_total - Math.min(fired.length, MAX_EVENTS);
  return [
    ...fired.slice(0, MAX_EVENTS).map(({ at, kind, ref }) => `  ${at}  ${kind}  ${ref}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `${to}: ${counted(fired_total, "event")} fired${reached === undefined ? "" : `; ${toCliHints(why, command)}`}`,
    ...in_flight.map(
      ({ kind, ref }) => `still in flight: ${kind} ${ref}. Run the same command again to continue.`,
    ),
  ];
}
