/** Members whose own members the page about faults describes. */
const ELSEWHERE = ["fault.match", "fault.then"];
const FORMER_NAME = "fault.plane";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

/** The members of a step, by their paths (`expect.parquet.rows`), with their descriptions. */
export function scenarioMembers(verb: string, step: object): ReadonlyMap<string, string | undefined> {
  const { description } = step as Schema;
  return new Map(
    membersIn(step as Schema, "").map(([path, text]) => [path, path === verb ? (text ?? description) : text]),
  );
}

function membersIn(schema: Schema, parent: string): readonly (readonly [string, string | undefined])[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = parent === "" ? name : `${parent}.${name}`;
    if (path === FORMER_NAME) return [];
    return [
      [path, member.description] as const,
      ...(ELSEWHERE.includes(path) ? [] : membersIn(member, path)),
    ];
  });
  return [...own, ...(schema.anyOf ?? []).flatMap((option) => membersIn(option, parent))];
}
