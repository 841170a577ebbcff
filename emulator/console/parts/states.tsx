import type { ComponentChildren } from "preact";
import { errorText } from "../model/actions.ts";
import type { Resource } from "../model/resource.ts";

interface LoadedProps<T> {
  readonly resource: Resource<T>;
  /** The heading of a page whose content has its own, until there is content. */
  readonly heading?: string;
  readonly children: (value: T) => ComponentChildren;
}

/** The content of a resource, its error, or a note that it is loading. */
export function Loaded<T>({ resource: { value, error }, heading, children }: LoadedProps<T>) {
  return (
    <>
      {heading !== undefined && value === undefined && <h1>{heading}</h1>}
      {error && (
        <p class="problem" role="alert">
          <span aria-hidden="true">✕</span> {errorText(error)}
        </p>
      )}
      {value === undefined ? !error && <p class="muted">Reading …</p> : children(value)}
    </>
  );
}

/** The text of an empty list: what it would contain, and how to create one. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
