import { OPEN_CHOICES } from "../../contracts/spec/alternatives.ts";
import { ASSUMPTIONS, type AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { Settings } from "../subjects/settings.ts";

/** Called with each open choice of the specification that is read. */
type Note = (id: AssumptionId) => void;

/** The choice that a member of the settings decides, by `section.member` (`.member` for the settings themselves). */
const CHOICE_OF_MEMBER = new Map<string, AssumptionId>(
  OPEN_CHOICES.flatMap((id) => membersOf(id).map((member) => [member, id] as const)),
);

function membersOf(id: AssumptionId): readonly string[] {
  const { setting } = ASSUMPTIONS[id];
  if (setting === undefined) return [`assumptions.${id}`];
  const path = setting.includes(".") ? setting : `.${setting}`;
  return [path, `${path}_ms`];
}

/** The same settings, which note every open choice of the specification that is read of them. */
export function noting(settings: Settings, note: Note): Settings {
  // The limiter reads its own settings once, and they have an effect only where requests are limited.
  if (settings.rateLimits.enabled) for (const id of OPEN_CHOICES) if (id.startsWith("rate_limit.")) note(id);
  const { assumptions, auth, limits } = settings;
  return watch("", note, {
    ...settings,
    assumptions: watch("assumptions", note, assumptions),
    auth: watch("auth", note, auth),
    limits: watch("limits", note, limits),
  });
}

function watch<T extends object>(section: string, note: Note, value: T): T {
  return new Proxy(value, {
    get(target, name, receiver) {
      const id = CHOICE_OF_MEMBER.get(`${section}.${String(name)}`);
      if (id !== undefined) note(id);
      return Reflect.get(target, name, receiver);
    },
  });
}
