import type { Effect } from "./commit.ts";
import type { DueEvent } from "./queue.ts";
import { Refusal } from "./refusal.ts";
import type { EffectOf, EventOf, WorldTypes } from "./types.ts";

/** The kinds that a world was made with: a table with one entry for each. */
type KindTable = Readonly<Record<string, unknown>>;

/**
 * Gives the events of a stored world their types. They are JSON that this version or another one has written:
 * the kind of each is checked here, its data is trusted as that of records is.
 * Throws a Refusal `unknown_event` (422) for a kind that this version does not know.
 */
export function typedEvents<Types extends WorldTypes>(
  kinds: KindTable,
  stored: readonly DueEvent[],
): readonly EventOf<Types>[] {
  return stored.map((event) => {
    if (!hasKnownKind<EventOf<Types>>(kinds, event)) throw unknownKind("event", event);
    return event;
  });
}

/** Gives the effects of a stored world that are in flight their types, as `knownEvents` does with its events. */
export function typedEffects<Types extends WorldTypes>(
  kinds: KindTable,
  stored: readonly Effect[],
): readonly EffectOf<Types>[] {
  return stored.map((effect) => {
    if (!hasKnownKind<EffectOf<Types>>(kinds, effect)) throw unknownKind("effect", effect);
    return effect;
  });
}

function hasKnownKind<Item extends { readonly kind: string }>(
  kinds: KindTable,
  item: { readonly kind: string },
): item is Item {
  return Object.hasOwn(kinds, item.kind);
}

function unknownKind(what: "event" | "effect", { kind, ref }: DueEvent | Effect): Refusal {
  return new Refusal(
    422,
    "unknown_event",
    `The stored world contains the ${what} ${kind} (${ref}), which this version does not know.`,
    "Start the version that wrote this data, or use another --data folder.",
  );
}
