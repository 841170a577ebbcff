import { lineOfTurn } from "../../client/turn-line.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import type { Emulator } from "../../runtime/index.ts";
import { callsOf } from "../../runtime/library/calls.ts";
import type { NamedTask } from "./capsule.ts";

/** The part of a vitest task that says how its test went. */
interface TestTask extends NamedTask {
  readonly result?: { readonly state: string; readonly errors?: readonly { message: string }[] } | undefined;
}

const TURNS_SHOWN = 20;

/**
 * Ends a test on its world. A call that nobody waited for fails it, and so does a fault that never triggered unless the
 * fault is optional, for such a test has shown nothing; both errors point to the call. What failed is shown with what
 * the world did, and `keep` has a capsule written.
 */
export async function concludeTest(
  emulator: Emulator,
  task: TestTask,
  keep: ((task: NamedTask, message: string) => Promise<string>) | undefined,
): Promise<void> {
  const [failed] = (task.result?.state === "fail" && task.result.errors) || [];
  const error = failed ?? (await neglected(emulator));
  if (!error) return;
  const { message } = error;
  error.message += await happenedIn(emulator, message).catch(() => "");
  error.message += (await keep?.(task, message)) ?? "";
  if (!failed) throw error;
}

/** What a test that went well has left undone. */
async function neglected(emulator: Emulator): Promise<Error | undefined> {
  const calls = callsOf(emulator);
  const forgotten = calls.unawaitedCall("its test ended");
  if (forgotten) {
    // It may be an advance over years, whose journal would grow while it is read.
    await emulator.control("DELETE", "/clock/advance").catch(() => undefined);
    return forgotten;
  }
  // A world that the test has closed itself no longer has faults.
  const faults = await emulator.faults.list().catch(() => []);
  const untriggeredFault = faults.find(({ hits, optional }) => hits === 0 && optional !== true);
  return untriggeredFault && calls.unusedFault(untriggeredFault);
}

/** The end of the journal, which began with the test, and a setting that may be the reason. */
async function happenedIn({ control }: Emulator, message: string): Promise<string> {
  const journal = await control<readonly JournalEntry[]>("GET", "/journal");
  const turns = journal.filter(({ cause }) => cause.type !== "start").map(lineOfTurn);
  const heading = `The journal of its world${turns.length > TURNS_SHOWN ? `, the last ${TURNS_SHOWN} of ${turns.length} turns` : ""}:`;
  return [
    ...((await isWithoutLimits(control, message))
      ? ['rate limits are off in the library; switch them on with emulatorOptions: { rateLimits: "on" }']
      : []),
    ...(turns.length > 0 ? [heading, ...turns.slice(-TURNS_SHOWN).map((turn) => `  ${turn}`)] : []),
  ]
    .map((line) => `\n${line}`)
    .join("");
}

async function isWithoutLimits(control: Emulator["control"], message: string): Promise<boolean> {
  if (!/\b429\b/.test(message)) return false;
  const { settings } = await control<{ settings: { rateLimits: { enabled: boolean } } }>("GET", "/config");
  return !settings.rateLimits.enabled;
}
