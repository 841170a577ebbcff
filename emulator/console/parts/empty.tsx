import type { ComponentChildren } from "preact";

/** The text of an empty list: what it would contain, and how to create one. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
