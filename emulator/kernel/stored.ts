import { Refusal } from "./refusal.ts";

/** The members that events and effects share. */
interface StoredItem {
  readonly kind: string;
  readonly ref: string;
}

/**
 * Gives the events or the effects in flight of a stored world their types. They are JSON that this version or another
 * one has written: the kind of each is checked here, its data is trusted as that of records is. `kinds` has one entry
 * for each kind. Throws a Refusal `unknown_event` (422) for a kind that this version does not know.
 */
export function typedItems<Item extends StoredItem>(
  noun: "event" | "effect",
  kinds: Readonly<Record<string, unknown>>,
  items: readonly StoredItem[],
): readonly Item[] {
  const isKnown = (item: StoredItem): item is Item => Object.hasOwn(kinds, item.kind);
  return items.map((item) => {
    if (isKnown(item)) return item;
    throw new Refusal(
      422,
      "unknown_event",
      `The stored world contains the ${noun} ${item.kind} (${item.ref}), which this version does not know.`,
      "Start the version that wrote this data, or use another --data folder.",
    );
  });
}
