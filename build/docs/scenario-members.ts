/** Members whose own members the page about faults describes. */
const ELSEWHERE = ["fault.match", "fault.then"];
const FORMER_NAME = "fault.plane";

interface Schema {
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

export interface Member {
  readonly text: string | undefined;
  readonly isOptional: boolean;
}

/** The members of a step, by their paths (`expect.parquet.rows`), with their descriptions. */
export function scenarioMembers(verb: string, step: object): ReadonlyMap<string, Member> {
  const { description } = step as Schema;
  return new Map(
    membersIn(step as Schema, "").map(([path, { text, isOptional }]) => [
      path,
      { text: path === verb ? (text ?? description) : text, isOptional },
    ]),
  );
}

function membersIn(schema: Schema, parent: string): readonly (readonly [string, Member])[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = parent === "" ? name : `${parent}.${name}`;
    if (path === FORMER_NAME) return [];
    return [
      [path, { text: member.description, isOptional: !schema.required?.includes(name) }] as const,
      ...(ELSEWHERE.includes(path) ? [] : membersIn(member, path)),
    ];
  });
  return [...own, ...(schema.anyOf ?? []).flatMap((option) => membersIn(option, parent))];
}
