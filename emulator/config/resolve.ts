import { accessSync, constants } from "node:fs";
import { resolve as resolvePath } from "node:path";
import { LIMITS, TIMINGS } from "../../contracts/spec/limits.ts";
import type { Settings } from "../subjects/settings.ts";
import { checkOf } from "../validation/check.ts";
import { effectiveAssumptions } from "./assumption-settings.ts";
import type { Configuration, SeedData } from "./configuration.ts";
import { readConfigurationFile } from "./configuration-file.ts";
import { isStructure, type Kind } from "./kinds.ts";
import { type Given, givenByEnvironment, givenByFlags, givenByTree, unknownVariables } from "./layers.ts";
import { limitValues } from "./limit-settings.ts";
import { type Problem, problemLine, quoted } from "./problem.ts";
import { rateLimitSettings } from "./resolve-rate-limits.ts";
import { type NamedValues, SETTINGS } from "./settings.ts";
import { checkWebhookVersions, webhookSettings } from "./webhook-settings.ts";

/** Sources of settings, in increasing precedence: file, environment, flags, options. */
export interface Sources {
  /** The working folder: relative paths and the configuration file are looked up here. */
  readonly cwd: string;
  /** Flags by name without dashes; `config` names the configuration file. */
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>;
  /** Environment variables for settings; when absent, webhook header templates use the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Options of a program: the keys of the file, and flags in camelCase (`port`, `now`, `serviceVersion`). */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether a configuration file in the working folder is read without being named. */
  readonly discover?: boolean;
}

const MAX_MISFITS = 3;

/** The configuration, or all problems, one line each. */
export type Resolution =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Resolves the configuration from its sources, or returns all problems, one line each. */
export async function resolveConfiguration(sources: Sources): Promise<Resolution> {
  const problems: Problem[] = [];
  const allGiven = (await givenBy(sources, problems)).filter(({ value }) => value !== null);
  const values = await readValues(allGiven, sources.cwd, problems);
  const { value } = values;
  problems.push(...unknownVariables(sources.env ?? {}, value("webhooks.env_prefix")));
  const seedData = seedDataFrom(values);
  const environment = value("server.isolated") ? {} : (sources.env ?? process.env);
  const paths = allGiven.map(({ path }) => path);
  const settings = {
    ...settingsFrom(values),
    webhooks: webhookSettings(value, environment, problems),
  };
  checkWebhookVersions(paths, settings.versions, problems);
  checkTraceFiles(seedData, problems);
  checkSeedKeys(seedData, problems);
  checkKeys(value, problems);
  checkClock(value, problems);
  if (problems.length > 0) return { ok: false, problems: [...new Set(problems.map(problemLine))] };
  return { ok: true, configuration: { ...processSettingsFrom(values), settings, seedData } };
}

type ValueOf = <Path extends keyof NamedValues>(path: Path) => NamedValues[Path];

/** The values of all settings, defaults included. */
interface Values {
  readonly value: ValueOf;
  readonly anyValue: (path: string) => unknown;
  /** The full path of a file that a setting names. */
  fileOf(path: string, file: string): string;
}

async function readValues(allGiven: readonly Given[], cwd: string, problems: Problem[]): Promise<Values> {
  const winners = new Map<string, Given & { readonly parsedValue: unknown }>();
  for (const input of allGiven) {
    const parsedValue = await valueOf(input, problems);
    if (parsedValue !== undefined) winners.set(input.path, { ...input, parsedValue });
  }
  const anyValue = (path: string) =>
    winners.has(path) ? winners.get(path)?.parsedValue : SETTINGS.get(path)?.initial;
  return {
    value: <Path extends keyof NamedValues>(path: Path) => anyValue(path) as NamedValues[Path],
    anyValue,
    fileOf: (path, file) => resolvePath(winners.get(path)?.folder ?? cwd, file),
  };
}

function seedDataFrom({ value, fileOf }: Values): SeedData {
  return {
    projects: value("seed_data.projects"),
    buckets: value("seed_data.buckets"),
    destinations: value("seed_data.destinations"),
    keys: value("seed_data.keys"),
    traces: value("seed_data.traces").map(({ file, project }) => ({
      file: fileOf("seed_data.traces", file),
      project,
    })),
  };
}

/** The settings of the process and its clock. */
function processSettingsFrom({ value, fileOf }: Values): Omit<Configuration, "settings" | "seedData"> {
  const optionalFile = (path: "server.import" | "server.import_secrets" | "server.export_on_exit") => {
    const file = value(path);
    return file === null ? null : fileOf(path, file);
  };
  return {
    port: value("server.port"),
    host: value("server.host"),
    allowedHosts: value("server.allowed_hosts"),
    corsOrigins: value("server.cors_origins"),
    dataFolder: value("server.ephemeral") ? null : fileOf("server.data", value("server.data")),
    importFile: optionalFile("server.import"),
    exportFile: optionalFile("server.export_on_exit"),
    secretsFile: optionalFile("server.import_secrets"),
    seed: value("seed"),
    now: value("clock.now"),
    clock: { mode: value("clock.mode"), rate: value("clock.rate") },
    followWaits: value("clock.follow_waits"),
    noteChoices: value("server.note_choices"),
  };
}

/** A key left empty in a YAML file is null: it means the default. */
export async function givenBy(sources: Sources, problems: Problem[]): Promise<Given[]> {
  const { cwd, flags = {}, env = {}, options = {}, discover = false } = sources;
  const { config: optionFile, ...optionTree } = options;
  const configPath = [optionFile, flags.config, env.EMULATOR_CONFIG].find(
    (name) => typeof name === "string" && name !== "",
  );
  const file =
    discover || configPath !== undefined
      ? await readConfigurationFile(configPath as string | undefined, cwd, problems)
      : undefined;
  return [
    ...(file ? givenByTree(file.tree, { ...file, optionNames: false }, problems) : []),
    ...givenByEnvironment(env, cwd),
    ...givenByFlags(flags, cwd),
    ...givenByTree(optionTree, { name: "options", folder: cwd, optionNames: true }, problems),
  ];
}

async function valueOf({ path, value, where }: Given, problems: Problem[]): Promise<unknown> {
  const setting = SETTINGS.get(path);
  if (setting === undefined) return undefined;
  const { kind, secret } = setting;
  const misfits = isStructure(value) ? await misfitsOf(kind, value) : [];
  const parsedValue = misfits.length > 0 ? undefined : kind.read(value);
  if (parsedValue !== undefined) return parsedValue;
  const valueText = secret ? "the value" : quoted(value);
  const why = misfits.length > 0 ? ` (${misfits.join("; ")})` : "";
  problems.push({ where, what: `${valueText}${why} is not valid`, fix: `give ${kind.expects}` });
  return undefined;
}

/** The first problems of a list or an object. */
async function misfitsOf(kind: Kind<unknown>, value: object): Promise<readonly string[]> {
  const check = await checkOf(kind.schema);
  const misfits = check(value, "").map((sentence) => sentence.replace(/^[.:] ?/, ""));
  return misfits.length > 0 ? misfits.slice(0, MAX_MISFITS) : [kind.problemOf?.(value) ?? []].flat();
}

function settingsFrom({ value, anyValue }: Values): Omit<Settings, "webhooks"> {
  const assumptions = effectiveAssumptions(value("profile"), SETTINGS, anyValue);
  return {
    profile: value("profile"),
    deployment: value("deployment"),
    strict: value("strict"),
    isolated: value("server.isolated"),
    legacyEnd: value("legacy_end"),
    ingestWindowMs: value("ingest.window"),
    versions: {
      service: value("versions.service"),
      application: value("versions.application"),
      agent_server: value("versions.agent_server"),
    },
    auth: { mode: value("auth.mode"), keys: value("auth.keys") },
    agent: {
      assistants: value("agent.assistants"),
      scripts: value("agent.scripts"),
      project: value("agent.project"),
      traces: value("agent.traces"),
    },
    rateLimits: rateLimitSettings(value, anyValue, assumptions),
    limits: limitValues("limits", LIMITS, anyValue),
    timings: limitValues("timings", TIMINGS, anyValue),
    assumptions,
  };
}

function checkTraceFiles(seedData: SeedData, problems: Problem[]): void {
  for (const { file } of seedData.traces) {
    try {
      accessSync(file, constants.R_OK);
    } catch {
      problems.push({ where: "seed_data.traces", what: `${file} cannot be read`, fix: "check its path" });
    }
  }
}

function checkSeedKeys({ keys }: SeedData, problems: Problem[]): void {
  const ids = keys.map(({ access_key_id }) => access_key_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    problems.push({ where: "seed_data.keys", what: `${twice} is listed twice`, fix: "keep one of them" });
}

function checkKeys(value: ValueOf, problems: Problem[]): void {
  if (value("auth.mode") === "keys" && value("auth.keys").length === 0)
    problems.push({
      where: "auth.mode",
      what: "keys accepts only listed keys, and none is listed",
      fix: "list keys under auth.keys, or give any",
    });
}

function checkClock(value: ValueOf, problems: Problem[]): void {
  if (value("clock.mode") !== "wall") return;
  for (const path of ["clock.now", "clock.rate"] as const)
    if (value(path) !== null && value(path) !== 1)
      problems.push({
        where: path,
        what: `${path} cannot be set for a clock that follows the wall clock (clock.mode: wall)`,
        fix: `remove ${path}, or use the clock flowing`,
      });
}
