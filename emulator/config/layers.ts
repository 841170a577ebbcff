import { nearest } from "../kernel/nearest.ts";
import { unswitchable } from "./assumption-settings.ts";
import { isObject } from "./kinds.ts";
import { type Problem, unknownName } from "./problem.ts";
import { SETTINGS } from "./settings.ts";

/** One value of one setting, with the name of its source for messages. */
export interface Given {
  readonly path: string;
  readonly value: unknown;
  readonly where: string;
  /** Base folder of relative paths in the value. */
  readonly folder: string;
}

const NOT_SETTINGS = "must be an object of the form `name: value`";
const SEE_SCHEMA = "see emulator.config.schema.json in the package";

const ENVIRONMENT_PREFIX = "EMULATOR_";

/** Variables that commands read or set and that are not settings. */
const OTHER_VARIABLES = new Set(
  [
    "CAPSULES",
    "CONFIG",
    "JSON",
    "QUIET",
    "READY_FILE",
    "URL",
    "EU_URL",
    "S3_URL",
    "API_KEY",
    "TENANT_ID",
    "FIXTURES_URL",
    "TIMEOUT",
    "WORLD",
    "LOG",
    "LOG_FORMAT",
  ].map((name) => ENVIRONMENT_PREFIX + name),
);

const FLAGS = new Map(
  [...SETTINGS].flatMap(([path, setting]) => (setting.flag ? [[setting.flag, path]] : [])),
);
const FLAG_VARIABLES = new Map([...FLAGS].map(([flag, path]) => [variableOf(flag), path]));
const OPTION_NAMES = new Map([...FLAGS].map(([flag, path]) => [camelCase(flag), path]));
const SECTIONS = new Set([...SETTINGS.keys()].flatMap(sectionsOf));

/** The environment variable of a flag: `--ready-file` is EMULATOR_READY_FILE. */
export function variableOf(flag: string): string {
  return ENVIRONMENT_PREFIX + flag.toUpperCase().replaceAll("-", "_");
}

/** The settings given by flags; relative paths start from `folder`. */
export function givenByFlags(
  flags: Readonly<Record<string, string | boolean | undefined>>,
  folder: string,
): Given[] {
  const settings: Given[] = [];
  for (const [flag, value] of Object.entries(flags)) {
    const path = FLAGS.get(flag);
    if (path !== undefined && value !== undefined)
      settings.push({ path, value: fromText(path, value), where: `--${flag}`, folder });
  }
  return settings;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The settings given by environment variables. */
export function givenByEnvironment(variables: Variables, folder: string): Given[] {
  return settingVariables(variables).flatMap(([name, text]) => {
    const path = pathOfVariable(name);
    return path === undefined ? [] : [{ path, value: fromText(path, text), where: name, folder }];
  });
}

/** Problems of variables that look like settings and are none; those with `ownPrefix` are for webhook headers (§6.1). */
export function unknownVariables(variables: Variables, ownPrefix: string): Problem[] {
  return settingVariables(variables).flatMap(([name]) =>
    pathOfVariable(name) === undefined && !name.startsWith(ownPrefix) ? problemOfVariable(name) : [],
  );
}

function settingVariables(variables: Variables): readonly (readonly [string, string])[] {
  return Object.entries(variables).flatMap(([name, text]) =>
    // An empty variable is how compose files and shells spell an absent one.
    name.startsWith(ENVIRONMENT_PREFIX) && !OTHER_VARIABLES.has(name) && text ? [[name, text]] : [],
  );
}

interface TreeSource {
  readonly name: string;
  readonly folder: string;
  /** Whether flags in camelCase are accepted next to the sections, as in the options of a library call. */
  readonly optionNames: boolean;
}

/** The settings in a tree of sections: a configuration file, or options given by a program. */
export function givenByTree(tree: unknown, source: TreeSource, problems: Problem[]): Given[] {
  if (isObject(tree)) return givenByBranch(tree, "", source, problems);
  problems.push({ where: source.name, what: NOT_SETTINGS, fix: SEE_SCHEMA });
  return [];
}

function givenByBranch(
  branch: Readonly<Record<string, unknown>>,
  prefix: string,
  source: TreeSource,
  problems: Problem[],
): Given[] {
  return Object.entries(branch).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const where = `${source.name}: ${prefix}${key}`;
    const path = pathOfKey(prefix + key, value, source.optionNames);
    if (path !== undefined) return [{ path, value, where, folder: source.folder }];
    const isSection = SECTIONS.has(prefix + key);
    // An empty section sets nothing; that it is there may still matter (§6.1).
    if (isSection && isObject(value) && Object.keys(value).length === 0)
      return [{ path: prefix + key, value, where, folder: source.folder }];
    if (isSection && isObject(value)) return givenByBranch(value, `${prefix}${key}.`, source, problems);
    // A section left empty in a YAML file is null.
    if (!isSection) problems.push(unknownKey(where, prefix, key));
    else if (value !== null) problems.push(notASection(where, `${prefix}${key}.`));
    return [];
  });
}

/**
 * An option such as `clock` is a section when it is an object, and the flag of that name when a word. A
 * section that can be switched off as a whole is the switch when it is not an object.
 */
function pathOfKey(key: string, value: unknown, optionNames: boolean): string | undefined {
  if (SETTINGS.has(key)) return key;
  const isSwitch = typeof value === "boolean" || typeof value === "string";
  if (isSwitch && SETTINGS.has(`${key}.enabled`)) return `${key}.enabled`;
  return optionNames && (typeof value === "string" || !SECTIONS.has(key)) ? OPTION_NAMES.get(key) : undefined;
}

function notASection(where: string, prefix: string): Problem {
  return { where, what: NOT_SETTINGS, fix: `give it ${childrenOf(prefix).join(", ")}` };
}

function pathOfVariable(name: string): string | undefined {
  const path = name.slice(ENVIRONMENT_PREFIX.length).toLowerCase().replaceAll("__", ".");
  return FLAG_VARIABLES.get(name) ?? (SETTINGS.has(path) ? path : undefined);
}

function problemOfVariable(name: string): Problem[] {
  const knownNames = [
    ...FLAG_VARIABLES.keys(),
    ...[...SETTINGS.keys()].map((path) => variableOf(path.replaceAll(".", "__"))),
  ];
  const problem = unknownName(name, name, knownNames, "setting");
  // Other programs own variables with this prefix too; only a nested or a nearly right name is ours.
  return name.includes("__") || problem.fix.startsWith("did you mean") ? [problem] : [];
}

function unknownKey(where: string, prefix: string, key: string): Problem {
  const fixed = unswitchable((prefix + key).replace(/^assumptions\./, ""));
  if (fixed !== undefined) return { where, what: "this assumption cannot be set here", fix: fixed };
  const sibling = nearest(key, childrenOf(prefix));
  if (sibling !== undefined) return unknownName(where, key, [sibling], "key");
  const lastWords = new Map([...SETTINGS.keys()].map((path) => [path.split(".").at(-1) ?? path, path]));
  const elsewhere = nearest(key, lastWords.keys());
  const path = elsewhere === undefined ? undefined : lastWords.get(elsewhere);
  return { where, what: "unknown key", fix: path === undefined ? SEE_SCHEMA : `did you mean ${path}?` };
}

function childrenOf(prefix: string): string[] {
  const below = [...SETTINGS.keys()].filter((path) => path.startsWith(prefix));
  return [...new Set(below.map((path) => path.slice(prefix.length).split(".")[0] ?? ""))];
}

function fromText(path: string, value: string | boolean): unknown {
  const { kind } = SETTINGS.get(path) ?? {};
  return typeof value === "string" && kind?.fromText ? kind.fromText(value) : value;
}

function sectionsOf(path: string): string[] {
  const parts = path.split(".");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}

function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
