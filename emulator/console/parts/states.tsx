import type { ComponentChildren } from "preact";
import { explained } from "../model/actions.ts";
import type { Resource } from "../model/resource.ts";

interface LoadedProps<T> {
  readonly of: Resource<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What was read, or why there is nothing to show. */
export function Loaded<T>({ of: { value, error }, children }: LoadedProps<T>) {
  return (
    <>
      {error && (
        <p class="problem" role="alert">
          <span aria-hidden="true">✕</span> {explained(error)}
        </p>
      )}
      {value === undefined ? !error && <p class="muted">Reading …</p> : children(value)}
    </>
  );
}
