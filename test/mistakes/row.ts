import type { Send } from "../../contracts/engine/http-message.ts";
import type { CaseSettings, Need } from "../../contracts/engine/needs.ts";
import type { Delivery, ObjectStore, ReadFile, Session, Target } from "../../contracts/engine/target.ts";
import { REQUIREMENTS, type RequirementId } from "../../contracts/spec/requirements.ts";
import type { Edit } from "./source.ts";

/** Rewrites what is sent and what is replied. */
export type SendWrapper = (next: Send) => Send;

/** How a server differs from the emulator as it is. */
export interface Change {
  /** Override the settings of every case. */
  readonly settings?: CaseSettings;
  /** The settings have an effect on the cases with these ids alone. */
  readonly among?: RegExp;
  /** Created for each case, so it may keep state. */
  readonly send?: SendWrapper;
  readonly objects?: (store: ObjectStore) => ObjectStore;
  readonly file?: (file: ReadFile) => ReadFile;
  /** Rewrites the deliveries that a receiver reports. */
  readonly deliveries?: (deliveries: readonly Delivery[]) => readonly Delivery[];
  /** The server starts without the settings that it should refuse. */
  readonly startsAnyway?: true;
  /** What it does not offer. */
  readonly lacks?: readonly Need[];
  /** A change of the product's own source. */
  readonly edit?: Edit;
}

/** A server, and what the contract suites must report about it. */
export interface Row extends Change {
  /** Requirements, or beginnings of ids of cases, with spaces between them: the cases that run against a mistake. */
  readonly about: string;
  /** What the server does. */
  readonly does: string;
  /** `difference`: an assumption is broken. `nothing`: the server conforms, so no case may FAIL. */
  readonly finds: "FAIL" | "difference" | "nothing";
}

/** `<about>: <what the server does>` and the change; a function rewrites requests and replies. */
type Changes = Readonly<Record<string, Change | SendWrapper>>;

function rowsOf(changes: Changes, findsOf: (about: string) => Row["finds"]): readonly Row[] {
  return Object.entries(changes).map(([title, change]) => {
    const [about = "", ...words] = title.split(": ");
    const parts = typeof change === "function" ? { send: change } : change;
    return { about, does: words.join(": "), finds: findsOf(about), ...parts };
  });
}

/** Servers that break a statement of the specification, or an assumption if the (first) requirement is one. */
export function mistakes(changes: Changes): readonly Row[] {
  return rowsOf(changes, (about) => {
    const [first = ""] = about.split(" ");
    return first.includes("/") || REQUIREMENTS[first as RequirementId].kind === "S" ? "FAIL" : "difference";
  });
}

/** Servers that break an assumption which belongs to a shown requirement. */
export function differences(changes: Changes): readonly Row[] {
  return rowsOf(changes, () => "difference");
}

/** Servers that differ where the specification is silent. */
export function conforming(changes: Changes): readonly Row[] {
  return rowsOf(changes, () => "nothing");
}

/** Servers with an edit of one file: `<about>: <what the server does>`, the text, and what replaces it. */
export function edits(
  file: string,
  ...rows: readonly (readonly [title: string, from: string, to: string])[]
): readonly Row[] {
  return mistakes(Object.fromEntries(rows.map(([title, from, to]) => [title, { edit: { file, from, to } }])));
}

/** The target with the change applied, apart from settings and sources. */
export function changed(target: Target, change: Change): Target {
  const { send, objects, file, deliveries, startsAnyway, lacks = [] } = change;
  const changeSession = (session: Session): Session => ({
    ...session,
    ...(send && { send: send(session.send) }),
    ...(objects && session.objects && { objects: objects(session.objects) }),
    reach: {
      ...session.reach,
      ...(file && { parquet: async (bytes: Uint8Array) => file(await session.reach.parquet(bytes)) }),
      ...(deliveries && { receiver: () => session.reach.receiver().then(rewriteDeliveries(deliveries)) }),
    },
  });
  return {
    ...target,
    offers: new Set([...target.offers].filter((need) => !lacks.includes(need))),
    async open(settings) {
      if (!startsAnyway) return changeSession(await target.open(settings));
      return changeSession(await target.open(settings).catch(() => target.open()));
    },
  };
}

function rewriteDeliveries(deliveries: NonNullable<Change["deliveries"]>) {
  return (receiver: Awaited<ReturnType<Session["reach"]["receiver"]>>) => ({
    ...receiver,
    get deliveries() {
      return deliveries(receiver.deliveries);
    },
  });
}
