import type { ComponentChildren } from "preact";
import { errorText } from "../model/actions.ts";
import type { Resource } from "../model/resource.ts";

interface LoadedProps<T> {
  readonly resource: Resource<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** The content of a resource, its error, or a note that it is loading. */
export function Loaded<T>({ resource: { value, error }, children }: LoadedProps<T>) {
  return (
    <>
      {error && (
        <p class="problem" role="alert">
          <span aria-hidden="true">✕</span> {errorText(error)}
        </p>
      )}
      {value === undefined ? !error && <p class="muted">Reading …</p> : children(value)}
    </>
  );
}
