import { outcome } from "../model/actions.ts";
import { asOf } from "../model/client.ts";
import { connection, endedBy, reconnect } from "../model/live.ts";
import { isReadOnly } from "../model/token.ts";
import { showAsOf } from "../time/past.ts";
import { ForkFrom } from "../worlds/fork-from.tsx";

/** What everybody has to know, above every view. */
export function Bands() {
  return (
    <div class="bands" aria-live="polite">
      {connection.value === "gone" && (
        <p class="band bad">
          <span aria-hidden="true">✕</span> The emulator does not answer; what is shown was so when it last
          did.
          <button type="button" class="button" onClick={reconnect}>
            Try again
          </button>
        </p>
      )}
      {connection.value === "ended" && (
        <p class="band bad">
          <span aria-hidden="true">✕</span> This world answers no more: {endedBy.value}
        </p>
      )}
      {asOf.value !== null && (
        <p class="band past">
          <span aria-hidden="true">↶</span> As of turn {asOf.value}: every view shows the world as it was.
          <ForkFrom turn={asOf.value} label="Fork a world from here" />
          <button type="button" class="button" onClick={() => showAsOf(null)}>
            Back to now
          </button>
        </p>
      )}
      {isReadOnly.value && (
        <p class="band">
          <span aria-hidden="true">◌</span> This page may only read: the emulator can be reached from other
          machines. Open it with the token that <code>emulator start</code> printed.
        </p>
      )}
      <OutcomeBand />
    </div>
  );
}

function OutcomeBand() {
  const last = outcome.value;
  if (!last) return null;
  const close = () => {
    outcome.value = null;
  };
  return (
    <p class={`band ${last.error === null ? "good" : "bad"}`} role={last.error === null ? "status" : "alert"}>
      <span aria-hidden="true">{last.error === null ? "●" : "✕"}</span> {last.label}
      {last.error === null ? ": done." : `: ${last.error}`}
      <button type="button" class="button" onClick={close} aria-label="Dismiss this message">
        ×
      </button>
    </p>
  );
}
