import type { PlainScenario, PlainStep } from "./plain.ts";

/** Scenarios that are a little smaller, the largest cuts first: steps, then values, then what they begin with. */
export function* smallerThan(plain: PlainScenario): Iterable<PlainScenario> {
  yield* withFewerSteps(plain);
  for (const [name, steps] of Object.entries(plain.sections))
    for (const smaller of withSmallerValues(steps))
      yield { ...plain, sections: { ...plain.sections, [name]: smaller } };
  const { scenario, ...rest } = plain.head;
  for (const smaller of smallerValues(rest))
    yield { ...plain, head: { scenario, ...(smaller as PlainScenario["head"]) } };
}

function* withFewerSteps(plain: PlainScenario): Iterable<PlainScenario> {
  for (const [name, steps] of Object.entries(plain.sections))
    for (const fewer of shorterLists(steps))
      yield { ...plain, sections: { ...plain.sections, [name]: fewer } };
  for (const [name, steps] of Object.entries(plain.sections))
    for (const [at, step] of steps.entries())
      for (const inside of shorterLists(step.steps))
        if (inside.length > 0)
          yield {
            ...plain,
            sections: { ...plain.sections, [name]: steps.with(at, { ...step, steps: inside }) },
          };
}

/** The list without a run of its members: half of it, a quarter, down to a single one. */
function* shorterLists<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < list.length; at += size) yield list.toSpliced(at, size);
}

function* withSmallerValues(steps: readonly PlainStep[]): Iterable<readonly PlainStep[]> {
  for (const [at, step] of steps.entries()) {
    for (const given of smallerValues(step.given))
      yield steps.with(at, { ...step, given: given as PlainStep["given"] });
    for (const inside of withSmallerValues(step.steps)) yield steps.with(at, { ...step, steps: inside });
  }
}

/** Values with one member less, a shorter list or a smaller number somewhere in them. */
function* smallerValues(value: unknown): Iterable<unknown> {
  if (Array.isArray(value)) yield* smallerLists(value);
  else if (typeof value === "object" && value !== null) yield* smallerObjects(value);
  else if (typeof value === "number" && Number.isInteger(value) && value > 1)
    yield* new Set([1, Math.ceil(value / 2), value - 1]);
}

function* smallerLists(list: readonly unknown[]): Iterable<unknown> {
  yield* shorterLists(list);
  for (const [at, item] of list.entries())
    for (const smaller of smallerValues(item)) yield list.with(at, smaller);
}

function* smallerObjects(value: object): Iterable<unknown> {
  const members = Object.entries(value);
  for (const [name] of members) yield Object.fromEntries(members.filter(([other]) => other !== name));
  for (const [name, member] of members)
    for (const smaller of smallerValues(member)) yield { ...value, [name]: smaller };
}
