import type { ComponentChildren } from "preact";

/** What stands where there is nothing yet: what it would be, and how to get one. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
