import type { ComponentChildren } from "preact";

/** Facts about one thing, side by side. */
export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="facts card">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
