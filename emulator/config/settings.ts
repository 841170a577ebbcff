import {
  closed,
  integer as integerField,
  listOf,
  mapOf,
  oneOf,
  optional,
  text as textField,
} from "../../contracts/spec/fields.ts";
import { LIMITS, TIMINGS } from "../../contracts/spec/limits.ts";
import { RATE_REGIONS } from "../../contracts/spec/rate-limits/rows.ts";
import { DEFAULT_VERSIONS } from "../../contracts/spec/versions.ts";
import { WEBHOOK_SETTINGS, type WebhookSettingKey } from "../../contracts/spec/webhooks/settings.ts";
import { AGENT_SETTINGS } from "./agent-settings.ts";
import { ASSUMPTION_SETTINGS } from "./assumption-settings.ts";
import {
  choice,
  dateOrInstant,
  duration,
  flag,
  instant,
  integer,
  type Kind,
  list,
  positiveNumber,
  shape,
  TEXT,
  text,
  toggle,
  version,
} from "./kinds.ts";
import { limitSettings } from "./limit-settings.ts";
import { RATE_LIMIT_ROW_SETTINGS, RATE_LIMIT_SETTINGS } from "./rate-limit-settings.ts";
import { SEED_SETTINGS } from "./seed-settings.ts";
import { type Setting, setting } from "./setting.ts";

/** EU uses port + 1 and S3 port + 2, so the highest two ports are excluded. */
const MAX_PORT = 65_533;

const MAX_RATE = 1_000_000;

/** As the header Origin spells it; `null` is that of files and sandboxed frames. */
const ORIGIN = "^(null|https?://[^/?#@\\s]+)$";

const SERVER = {
  "server.port": setting(
    {
      ...integer(0, MAX_PORT),
      expects: `an integer from 0 to ${MAX_PORT}, since EU and S3 use the next two ports`,
    },
    4700,
    "port of the US region; the EU region uses the next port, and S3 the one after it; 0 takes free ports",
    {
      flag: "port",
    },
  ),
  "server.host": setting(text("a host name or address"), "127.0.0.1", "address to bind to", {
    flag: "host",
    word: "<host>",
  }),
  "server.data": setting(text("a folder"), ".emulator", "data folder", { flag: "data", word: "<dir>" }),
  "server.ephemeral": setting(
    toggle(),
    false,
    "keep the data in memory and a temporary folder; the folder .emulator then only has the address and the output of --detach",
    { flag: "ephemeral", bare: true },
  ),
  "server.import": setting<string | null>(
    text("a snapshot file"),
    null,
    "snapshot file from which the world main starts; refused if the data folder already has that world",
    {
      flag: "import",
      word: "<file>",
    },
  ),
  "server.export_on_exit": setting<string | null>(
    text("a file"),
    null,
    "file to which the world main is exported at exit",
    { flag: "export-on-exit", word: "<file>" },
  ),
  "server.import_secrets": setting<string | null>(
    text("a file"),
    null,
    "JSON file with the secrets of the imported snapshot, which its file omits (format: docs/understand/worlds.md)",
    { flag: "secrets", word: "<file>" },
  ),
  "server.allowed_hosts": setting(
    list(TEXT, "host names"),
    [],
    "host names at which requests are accepted in addition to local ones, separated by commas",
    { flag: "allowed-hosts" },
  ),
  "server.cors_origins": setting(
    list(
      textField({ pattern: ORIGIN, title: 'written as "https://app.example.com"' }),
      "origins, for example https://app.example.com",
    ),
    [],
    "origins of pages that may call the emulator in addition to local ones, separated by commas",
    { flag: "cors-origins" },
  ),
  "server.isolated": setting(
    toggle(),
    false,
    "whether webhooks and exports reach only this machine, and webhook headers and destinations use no environment variables",
  ),
  "server.note_choices": setting(
    toggle(),
    false,
    "whether worlds note the assumptions on which their requests depend (`GET /choices`)",
  ),
};

const WORLD = {
  "clock.mode": setting<"wall" | "flowing" | "frozen" | null>(
    choice("wall", "flowing", "frozen"),
    null,
    "wall follows the time of this machine (the ready line calls it flowing), flowing moves with it from a time of its own, frozen moves only with `clock` commands, and for requests that wait for a run (clock.follow_waits); " +
      "default: as stored in the data folder; for a new world wall, or flowing with --now",
    { flag: "clock" },
  ),
  "clock.rate": setting<number | null>(
    positiveNumber(MAX_RATE),
    null,
    "virtual seconds per second of a flowing clock; default: as stored, 1 for a new world",
  ),
  "clock.now": setting<number | null>(
    instant(),
    null,
    "virtual time at which a new world starts; a stored world main advances to it, and refuses a time before its present time",
    { flag: "now" },
  ),
  "clock.follow_waits": setting(
    toggle(),
    true,
    "whether a pending wait, join or stream advances a frozen clock",
  ),
  seed: setting(
    integer(0, Number.MAX_SAFE_INTEGER),
    1,
    "random seed of ids, and of sample traces that are generated without a seed",
    { flag: "seed" },
  ),
  profile: setting(
    choice("spec", "observed"),
    "spec",
    "behaviour of the specification, or as observed at the public service",
    {
      flag: "profile",
    },
  ),
  "versions.service": setting(
    version(),
    DEFAULT_VERSIONS.service,
    "emulated version of the service (`version` in `GET /info`); features of exports that need a newer version of it or of the application are refused (§9.4)",
    { flag: "service-version" },
  ),
  "versions.application": setting(
    version(),
    DEFAULT_VERSIONS.application,
    "emulated version of the application (`application_version` in `GET /info`)",
    { flag: "application-version" },
  ),
  "versions.agent_server": setting(
    version(),
    DEFAULT_VERSIONS.agent_server,
    "emulated version of the agent server (`agent_server_version` in `GET /info`); webhook settings that need a newer version are refused (§9.4)",
    { flag: "agent-server-version" },
  ),
  deployment: setting(
    choice("hosted", "self-hosted"),
    "hosted",
    "a self-hosted deployment has no rate limits by default and may take S3 credentials from its environment",
    {
      flag: "deployment",
    },
  ),
  legacy_end: setting<number | null>(
    dateOrInstant(),
    null,
    "virtual time from which `POST /runs/query` and `GET /runs/{run_id}` answer 410 (default: never); public clients announce this for the time after 2027-01-31",
    { flag: "legacy-end", word: "<date>" },
  ),
  "ingest.window": setting<number | null>(
    duration(),
    null,
    "how far from the virtual time a trace row may start; a request with any other row is refused as a whole (default: any distance); the public service was observed to use 24h",
  ),
  strict: setting(
    toggle(),
    false,
    "refuse fields that the emulator ignores (422); exit with code 4 if an armed fault never triggered",
    { flag: "strict", bare: true },
  ),
};

const AUTH = {
  "auth.mode": setting(
    choice("any", "keys"),
    "any",
    "accept any API key, or only those under auth.keys in the configuration file",
    { flag: "auth" },
  ),
  "auth.keys": setting(
    list(
      closed({ key: TEXT, tenants: listOf(TEXT), region: optional(oneOf(RATE_REGIONS)) }),
      "keys: `{ key, tenants, region }`; `tenants` are workspace ids, `region` only where the key is valid in one region",
    ),
    [],
    "the keys that are accepted, their tenants, and the region of those that are valid in one region only",
    { secret: true },
  ),
};

/** A header's value may be empty. */
const HEADER_VALUE = textField({ maxLength: 4096 });

/** §6.1, spelled as there. */
const WEBHOOKS = {
  "webhooks.headers": setting(
    shape(mapOf(HEADER_VALUE), "an object of header names and texts"),
    {},
    WEBHOOK_SETTINGS["webhooks.headers"].text,
    {
      secret: true,
    },
  ),
  "webhooks.env_prefix": webhookSetting("webhooks.env_prefix", text()),
  "webhooks.url.allowed_domains": webhookSetting("webhooks.url.allowed_domains", list(TEXT, "host names")),
  "webhooks.url.require_https": webhookSetting("webhooks.url.require_https", flag()),
  "webhooks.url.allowed_ports": webhookSetting(
    "webhooks.url.allowed_ports",
    list(integerField({ minimum: 1, maximum: 65_535 }), "ports"),
  ),
  "webhooks.url.disable_loopback": webhookSetting("webhooks.url.disable_loopback", flag()),
  "webhooks.url.max_url_length": webhookSetting("webhooks.url.max_url_length", integer(1, 65_536)),
  "webhooks.url.test_receivers": setting(
    flag(),
    true,
    "whether receivers on this machine and in private networks may use any port while allowed_ports is unset; " +
      "not a key of the service",
  ),
  "http.disable_webhooks": webhookSetting("http.disable_webhooks", flag()),
};

/** A setting from a row of the table; the default is null where the table has none. */
function webhookSetting<T, Key extends WebhookSettingKey>(key: Key, kind: Kind<T>) {
  const { initial, text: help } = WEBHOOK_SETTINGS[key];
  return setting(kind as Kind<Given<T, Key>>, initial as Given<T, Key>, help);
}

type Given<T, Key extends WebhookSettingKey> = (typeof WEBHOOK_SETTINGS)[Key]["initial"] extends null
  ? T | null
  : T;

/** The settings with individual types, by their path in the configuration file. */
const NAMED = {
  ...SERVER,
  ...WORLD,
  ...AUTH,
  ...AGENT_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  ...WEBHOOKS,
  ...SEED_SETTINGS,
};

/** The type of the value of each named setting. */
export type NamedValues = {
  readonly [Path in keyof typeof NAMED]: (typeof NAMED)[Path] extends Setting<infer T> ? T : never;
};

/** All settings; flags, environment variables, file keys and options are derived from here. */
export const SETTINGS: ReadonlyMap<string, Setting> = new Map<string, Setting>([
  ...Object.entries<Setting>(NAMED),
  ...limitSettings("limits", LIMITS),
  ...limitSettings("timings", TIMINGS),
  ...RATE_LIMIT_ROW_SETTINGS,
  ...ASSUMPTION_SETTINGS,
]);
