/** The glyph and tone of each status, so that colour is not the only difference. */
const LOOKS: Readonly<Record<string, readonly [glyph: string, tone: string]>> = {
  CREATED: ["○", "wait"],
  RUNNING: ["◐", "busy"],
  COMPLETED: ["●", "good"],
  FAILED: ["✕", "bad"],
  CANCELLED: ["⊘", "off"],
  TIMEDOUT: ["⧗", "bad"],
  pending: ["○", "wait"],
  running: ["◐", "busy"],
  success: ["●", "good"],
  error: ["✕", "bad"],
  timeout: ["⧗", "bad"],
  interrupted: ["⏸", "off"],
  idle: ["○", "off"],
  busy: ["◐", "busy"],
  delivered: ["●", "good"],
  failed: ["✕", "bad"],
  refused: ["⊘", "bad"],
  dropped: ["↯", "bad"],
  disabled: ["⊘", "off"],
};

/** The tone of a status: `wait`, `busy`, `good`, `bad` or `off`. */
export function toneOf(status: string): string {
  return lookOf(status)[1];
}

export function Status({ status }: { readonly status: string }) {
  const [glyph, tone] = lookOf(status);
  return (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{glyph}</span> {status}
    </span>
  );
}

/** Spellings differ by profile (`Completed`, `COMPLETED`). */
function lookOf(status: string): readonly [string, string] {
  return LOOKS[status] ?? LOOKS[status.toUpperCase()] ?? ["·", "off"];
}
