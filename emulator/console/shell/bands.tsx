import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { AdvanceResult } from "../../client/views.ts";
import { instantMs } from "../../kernel/instant.ts";
import { confirmation, control, outcome } from "../model/actions.ts";
import { asOf } from "../model/client.ts";
import { clock, isDiskFull } from "../model/clock.ts";
import { count } from "../model/count.ts";
import { connection, endReason, reconnect } from "../model/live.ts";
import { addressOf } from "../model/router.ts";
import { isReadOnly } from "../model/token.ts";
import { Action, CopyMenu } from "../parts/action.tsx";
import { Term } from "../parts/term.tsx";
import { spanOf } from "../parts/time.tsx";
import { UndoButton } from "../parts/undo-button.tsx";
import { showAsOf } from "../time/as-of.ts";
import { ForkFrom } from "../worlds/fork-from.tsx";

/** Messages about the whole page, above every view. */
export function Bands() {
  return (
    <div class="bands" aria-live="polite">
      {connection.value === "gone" && (
        <Band tone="bad" glyph="✕">
          The emulator does not answer; what is shown was so when it last did.
          <button type="button" class="button" onClick={reconnect}>
            Try again
          </button>
        </Band>
      )}
      {connection.value === "ended" && (
        <Band tone="bad" glyph="✕">
          This world answers no more: {endReason.value}
        </Band>
      )}
      {isDiskFull.value && (
        <Band tone="bad" glyph="▤">
          The disk is full: new data is refused, and nothing is lost. Make room; a reset empties the world.
          <Action label="Reset the world" kind="danger" call={control("POST", "/reset", {})} />
        </Band>
      )}
      {asOf.value !== null && (
        <Band tone="past" glyph="↶">
          <Term of="as of">As of turn {asOf.value}</Term>: every view shows the earlier state.
          <ForkFrom turn={asOf.value} label="Fork a world from here" />
          <button type="button" class="button" onClick={() => showAsOf(null)}>
            Back to now
          </button>
        </Band>
      )}
      {asOf.value === null && clock.value?.mode === "frozen" && !isFrozenDismissed.value && (
        <Band tone="still" glyph="❚❚">
          The clock stands still: what is due happens once it is advanced or flows.
          <Dismiss act={() => (isFrozenDismissed.value = true)} />
        </Band>
      )}
      {isReadOnly.value && (
        <Band tone="" glyph="◌">
          This page may only read: the emulator can be reached from other machines. Open it with the token
          that <code>emulator start</code> printed.
        </Band>
      )}
      <ConfirmationBand />
      <OutcomeBand />
    </div>
  );
}

/** Whether the user has dismissed the message about the frozen clock. */
const isFrozenDismissed = signal(false);

interface BandProps {
  readonly tone: string;
  readonly glyph: string;
  readonly role?: "status" | "alert";
  readonly children: ComponentChildren;
}

function Band({ tone, glyph, role, children }: BandProps) {
  return (
    <p class={`band ${tone}`} role={role}>
      <span aria-hidden="true">{glyph}</span> {children}
    </p>
  );
}

function Dismiss({ act }: { readonly act: () => void }) {
  return (
    <button type="button" class="button" onClick={act} aria-label="Dismiss this message">
      ×
    </button>
  );
}

function ConfirmationBand() {
  const question = confirmation.value;
  if (!question) return null;
  const { label, reason, answer } = question;
  return (
    <Band tone="bad" glyph="!" role="alert">
      {label}: this cannot be undone. {reason}
      <button
        type="button"
        class="button"
        ref={(button) => button?.focus()}
        onClick={() => answer(false)}
        aria-label={`Do not: ${label}`}
      >
        Cancel
      </button>
      <button type="button" class="button danger" onClick={() => answer(true)}>
        {label} anyway
      </button>
    </Band>
  );
}

function OutcomeBand() {
  const last = outcome.value;
  if (!last) return null;
  const [tone, glyph, role, text] =
    last.error === null
      ? (["good", "●", "status", "done."] as const)
      : (["bad", "✕", "alert", last.error] as const);
  return (
    <Band tone={tone} glyph={glyph} role={role}>
      {last.label}: {happened(last.reply) ?? text}
      <UndoButton label={last.label} undo={last.undo} />
      <CopyMenu label={last.label} call={last.call} />
      <Dismiss act={() => (outcome.value = null)} />
    </Band>
  );
}

/** The reply of an advance in words; undefined for the reply of another request. */
function happened(reply: unknown) {
  if (!isAdvance(reply)) return undefined;
  const { fired_total, from, to, ended = [], settled } = reply;
  const ms = instantMs(to) - instantMs(from);
  if (fired_total === 0 && ms === 0) return <span>nothing is due, so the clock stays where it is.</span>;
  return (
    <span>
      done. {count(fired_total, "event")} in {spanOf(ms)}
      {ended.map((group, index) => (
        <span key={`${group.kind} ${group.status}`}>
          {index === 0 ? ": " : ", "}
          <a href={addressOf(`${group.kind}s`, group.count === 1 ? group.refs[0] : null)}>
            {count(group.count, group.kind)} {group.status.toLowerCase()}
          </a>
        </span>
      ))}
      {settled ? "." : ". An effect is still in flight."}
    </span>
  );
}

function isAdvance(reply: unknown): reply is AdvanceResult {
  return typeof reply === "object" && reply !== null && "fired_total" in reply;
}
