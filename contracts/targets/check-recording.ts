import type { CaseResult } from "../engine/case.ts";
import { exchangeOf, withoutSecrets, withoutSecretsIn } from "../engine/exchange.ts";
import { WORLD_HEADER } from "../engine/http-message.ts";
import { type History, openHistory } from "../engine/oracle/history.ts";
import type { OracleFinding, ParsedExchange } from "../engine/oracle/oracle.ts";
import { credentialsIn, returnedLater } from "../engine/oracle/secrets.ts";
import type { Profile } from "../engine/profile.ts";
import type { RecordedEntry } from "../engine/recordings/recorded-entry.ts";
import type { RecordedTraffic, RunReport } from "../engine/run.ts";
import { type Finding, worst } from "../engine/verdict.ts";
import { REQUIREMENTS, type RequirementId } from "../spec/requirements.ts";
import { parseExchange } from "./oracle.ts";
import {
  baseOf,
  findingsOf,
  isOfThisApi,
  problemOf,
  type RecordedWire,
  secretsIn,
  uncheckedFinding,
  wireOf,
} from "./recorded-wire.ts";

/** The exchanges of a file. */
export interface RecordingFile {
  readonly name: string;
  readonly entries: readonly RecordedEntry[];
}

/** How recordings are checked. */
export interface RecordingOptions {
  readonly profile?: Profile;
  /** Base addresses of the servers to check; by default every request whose path is part of the API. */
  readonly addresses?: readonly string[];
}

/** What exchanges show of the statements about their operations; the others need a server to experiment with. */
const DECIDED: ReadonlySet<RequirementId> = new Set([
  ...(["2.1-1", "2.1-2", "2.1-3", "2.1-4", "2.2-1", "2.3-1", "2.4-1", "2.4-2"] as const),
  ...(["2.5-1", "2.5-2", "2.5-3", "2.5-5", "2.5-7", "2.6-2", "3.1-1", "3.1-2", "3.1-3"] as const),
  ...(["3.1-7", "3.2-1", "4.1-1", "4.1-2", "4.1-3", "4.2-1", "4.3-1", "4.4-1", "4.5-1"] as const),
  ...(["4.6-1", "4.7-1", "4.8-2", "4.8-3", "7.1-1", "7.3-7"] as const),
]);

/** Checks the exchanges of files; each file and each server has a history of its own. Reports contain no secrets. */
export async function checkRecordings(
  files: readonly RecordingFile[],
  options: RecordingOptions = {},
): Promise<RunReport> {
  const startedAt = performance.now();
  const results: CaseResult[] = [];
  for (const { name, entries } of files) {
    const checkEntry = checkerOf(name, entries, options);
    for (const entry of entries) results.push(...(await checkEntry(entry)));
  }
  const exchanges = files.reduce((sum, { entries }) => sum + entries.length, 0);
  return {
    target: files.map(({ name }) => name).join(", "),
    seed: 1,
    recorded: { exchanges, foreign: exchanges - results.length, undecided: undecidedIn(results) },
    results,
    requests: results.length,
    wallMs: Math.round(performance.now() - startedAt),
  };
}

function undecidedIn(results: readonly CaseResult[]): RecordedTraffic["undecided"] {
  const counts: Partial<Record<RequirementId, number>> = {};
  for (const { verdict, requirements } of results)
    for (const id of verdict === "UNSUPPORTED" ? [] : requirements)
      if (!isDecided(id)) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

function isDecided(id: RequirementId): boolean {
  return REQUIREMENTS[id].kind !== "S" || DECIDED.has(id);
}

/** A server in a file. */
interface KnownServer {
  readonly history: History;
  readonly credentials: Set<string>;
}

const CONTROL = "/_emulator/";

function checkerOf(
  name: string,
  entries: readonly RecordedEntry[],
  { profile, addresses }: RecordingOptions,
) {
  const servers = new Map<string, KnownServer>();
  const wires = new Map(entries.map((entry) => [entry, toWire(entry, addresses)]));
  const secrets = new Set(
    [...wires.values()].flatMap((wire) =>
      wire
        ? [...secretsIn(wire.request), ...cookiesIn(wire.request), ...credentialsIn(wire.request, true)]
        : [],
    ),
  );

  return async (entry: RecordedEntry): Promise<readonly CaseResult[]> => {
    const wire = wires.get(entry);
    if (!wire) return [];
    const { request, reply } = wire;
    const server = serverOf(servers, entry, wire, addresses);
    if (request.path.startsWith(CONTROL) && request.method !== "GET") server.history.forget();
    const parsed = isOfThisApi(request) ? parseExchange(request, reply, profile ?? "spec") : undefined;
    if (!parsed) return [];
    const problem = entry.unreadable ?? problemOf(wire);
    if (problem !== undefined)
      return [resultOf(name, entry, parsed, secrets, [uncheckedFinding(parsed, problem)])];
    const findings = await findingsOf(wire, entry.exchange, secrets, profile);
    const later = withoutSecretsIn(laterFindings(server, entry, wire, parsed, findings), secrets);
    const readExchange = () => exchangeOf(request, reply, entry.exchange.url, secrets);
    return [resultOf(name, entry, parsed, secrets, withExchange([...findings, ...later], readExchange))];
  };
}

/** The values of cookies, which a reply may repeat. */
function cookiesIn({ headers: { cookie = "" } }: RecordedWire["request"]): readonly string[] {
  return cookie.split(/;\s*/).map((pair) => pair.slice(pair.indexOf("=") + 1));
}

/** What only the earlier exchanges with this server show to be wrong. */
function laterFindings(
  { history, credentials }: KnownServer,
  { startedAt, endedAt }: RecordedEntry,
  { request, reply }: RecordedWire,
  parsed: ParsedExchange,
  findings: readonly OracleFinding[],
): readonly OracleFinding[] {
  const isKnown = findings.some(({ requirement, verdict }) => requirement === "2.4-2" && verdict === "FAIL");
  const leaks = isKnown ? [] : returnedLater(request, reply, credentials);
  for (const secret of credentialsIn(request, false)) credentials.add(secret);
  const caller = ["x-tenant-id", "x-api-key", "authorization", "x-user-id"].map(
    (name) => request.headers[name],
  );
  return [...history.check(parsed, { caller: caller.join(" "), startedAt, endedAt }), ...leaks];
}

/** Undefined for a request to another server than those to check. */
function toWire(
  { exchange }: RecordedEntry,
  addresses: readonly string[] | undefined,
): RecordedWire | undefined {
  if (!addresses) return wireOf(exchange);
  const address = addresses.find((each) => isBelow(exchange.url, each));
  return address === undefined ? undefined : wireOf(exchange, address);
}

function isBelow(url: string, address: string): boolean {
  return url.startsWith(address) && /^([/?#]|$)/.test(url.slice(address.length));
}

function serverOf(
  servers: Map<string, KnownServer>,
  { exchange: { url, region = "us" } }: RecordedEntry,
  { request }: RecordedWire,
  addresses: readonly string[] | undefined,
): KnownServer {
  const base = addresses?.find((each) => isBelow(url, each)) ?? baseOf(url);
  const key = [base, region, request.headers[WORLD_HEADER]].join(" ");
  const server = servers.get(key) ?? { history: openHistory(), credentials: new Set<string>() };
  servers.set(key, server);
  return server;
}

function withExchange(
  findings: readonly OracleFinding[],
  readExchange: () => Finding["exchange"],
): readonly Finding[] {
  const exchange = findings.length === 0 ? undefined : readExchange();
  return findings.map(({ isFatal: _, ...finding }) => ({ ...finding, ...(exchange && { exchange }) }));
}

const MAX_TITLE_CHARACTERS = 100;

function resultOf(
  name: string,
  { place, line, exchange }: RecordedEntry,
  { row }: ParsedExchange,
  secrets: ReadonlySet<string>,
  findings: readonly Finding[],
): CaseResult {
  const { method, url, status } = exchange;
  const verdict = worst(findings);
  const { section, requirements } = row;
  return {
    id: `${section}/${name}:${place}`,
    section,
    title: `${method} ${withoutSecrets(url, secrets).slice(0, MAX_TITLE_CHARACTERS)} → ${status}`,
    requirements,
    verdict,
    findings,
    checkedRequirements: verdict === "UNSUPPORTED" ? [] : requirements.filter(isDecided),
    file: { path: name, ...(line !== undefined && { line }) },
    requests: 1,
    wallMs: 0,
  };
}
