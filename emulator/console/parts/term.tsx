import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** Short explanations; the glossary of the documentation has the long ones. */
const TERMS = {
  turn: "One step of the world: a request or a due event, with everything that it changed.",
  "as of": "Every view shows the state directly after this turn. Nothing can be changed there.",
  "fault target": "What the fault affects: export workers, the object store, API requests or webhooks.",
  dryRun: "The next events, computed on a copy of the world that is discarded.",
} as const;

interface TermProps {
  readonly of: keyof typeof TERMS;
  readonly children: ComponentChildren;
}

/** A term with its explanation, which is visible on hover and while the term has the focus. */
export function Term({ of, children }: TermProps) {
  const id = useId();
  return (
    <span class="term" tabIndex={0} role="note" aria-describedby={id}>
      {children}
      <span class="explanation" role="tooltip" id={id}>
        {TERMS[of]}
      </span>
    </span>
  );
}
