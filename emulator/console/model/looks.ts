import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asOf, client } from "./client.ts";
import { type Resource, useResource } from "./resource.ts";

/** Something that the user looked at: a reply of the control API, and the members that a test of it compares. */
export interface Look {
  readonly label: string;
  /** Below `/_emulator/v1`. */
  readonly path: string;
  readonly members: unknown;
  /** The number of actions in the tray before it. */
  readonly after: number;
}

const KEY = "emulator-console-looks";
const MAX_LOOKS = 200;

export const looks = signal<readonly Look[]>(
  JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as readonly Look[],
);

/** Whether an action is being sent, and the number of those in the tray; `actions.ts` sets both. */
export const isActing = signal(false);
export const actionCount = signal(0);

/** A test compares the items of a list up to this number. */
const MAX_COMPARED_ITEMS = 20;

/** What a test compares of the items of a list, as a member of this name; of a longer list nothing. */
export function lookAtItems<T>(name: string, items: readonly T[], look: (item: T) => unknown): object {
  return items.length <= MAX_COMPARED_ITEMS ? { [name]: items.map(look) } : {};
}

/**
 * Reads a path of the control API as `useResource` does, and notes what the page shows, for the tests that the tray saves.
 * `members` selects what a test compares; without it, nothing is noted.
 */
export function useReply<T>(
  label: string,
  path: string,
  members: ((reply: T) => unknown) | undefined,
  key = path,
): Resource<T> {
  const resource = useResource(key, () => client.call<T>("GET", path), path);
  useLook(label, path, resource.value, members);
  return resource;
}

/**
 * Notes the `members` of a value. They are read again, since the page may still show the time before the last action.
 * The last look after an action counts.
 */
function useLook<T>(
  label: string,
  path: string,
  value: T | undefined,
  members: ((reply: T) => unknown) | undefined,
): void {
  const after = actionCount.value;
  const isShown = value !== undefined && members !== undefined;
  useEffect(() => {
    if (!isShown || asOf.peek() !== null || after === 0) return;
    const note = (reply: T) => {
      if (isActing.peek() || actionCount.peek() !== after) return;
      const others = looks.peek().filter((look) => look.path !== path || look.after !== after);
      keepLooks([...others, { label, path, members: members(reply), after }].slice(-MAX_LOOKS));
    };
    // What is gone meanwhile is not compared.
    client.call<T>("GET", path).then(note, () => {});
  }, [path, after, isShown && JSON.stringify(members(value))]);
}

/** Drops the looks at what an undone action has made. */
export function dropLooksAfter(count: number): void {
  keepLooks(looks.value.filter(({ after }) => after <= count));
}

function keepLooks(next: readonly Look[]): void {
  looks.value = next;
  sessionStorage.setItem(KEY, JSON.stringify(next));
}
