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
  /** The settings have an effect on these paths alone. */
  readonly paths?: RegExp;
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

/** Changes by what the server does; a function rewrites requests and replies. */
type Changes = Readonly<Record<string, Change | SendWrapper>>;

function rowsOf(about: string, finds: Row["finds"], changes: Changes): readonly Row[] {
  return Object.entries(changes).map(([does, change]) => ({
    about,
    does,
    finds,
    ...(typeof change === "function" ? { send: change } : change),
  }));
}

/** Servers that break a statement of the specification, or an assumption if the requirement is one. */
export function mistakes(about: string, changes: Changes): readonly Row[] {
  const [first = ""] = about.split(" ");
  const isShown = first.includes("/") || REQUIREMENTS[first as RequirementId].kind === "S";
  return rowsOf(about, isShown ? "FAIL" : "difference", changes);
}

/** Servers that break an assumption which belongs to a shown requirement. */
export function differences(about: string, changes: Changes): readonly Row[] {
  return rowsOf(about, "difference", changes);
}

/** Servers that differ where the specification is silent. */
export function conforming(about: RequirementId, changes: Changes): readonly Row[] {
  return rowsOf(about, "nothing", changes);
}

/** Servers with an edit of one file. */
export function edits(
  file: string,
  ...rows: readonly (readonly [does: string, from: string, to: string, about: string])[]
): readonly Row[] {
  return rows.flatMap(([does, from, to, about]) => mistakes(about, { [does]: { edit: { file, from, to } } }));
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
