import { addressOf } from "../model/router.ts";

/** Leads from an id, or from `bucket/key`, to the turns that caused it. */
export function WhyLink({ id }: { readonly id: string }) {
  return (
    <a class="why-link" href={addressOf("why", null, { of: id })} aria-label={`Why? ${id}`}>
      Why?
    </a>
  );
}
