/** How a status looks: a glyph next to the colour, so that neither is needed alone. */
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

export function Status({ of }: { readonly of: string }) {
  const [glyph, tone] = lookOf(of);
  return (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{glyph}</span> {of}
    </span>
  );
}

/** Spellings differ by profile (`Completed`, `COMPLETED`). */
function lookOf(status: string): readonly [string, string] {
  return LOOKS[status] ?? LOOKS[status.toUpperCase()] ?? ["·", "off"];
}
