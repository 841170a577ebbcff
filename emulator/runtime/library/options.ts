import type { LIMITS, TIMINGS } from "../../../contracts/spec/limits.ts";
import type { NamedValues } from "../../config/settings.ts";
import type { ScriptInput } from "../../subjects/agent/script.ts";

/** Settings below one another, as the configuration file nests them: `clock.mode` is `{ clock: { mode } }`. */
type Nested<Prefix extends string> = {
  readonly [Name in NameBelow<Prefix>]?: `${Prefix}${Name}` extends keyof NamedValues
    ? ValueOf<`${Prefix}${Name}`>
    : Nested<`${Prefix}${Name}.`>;
};

type NameBelow<Prefix extends string> = keyof NamedValues extends infer Path
  ? Path extends `${Prefix}${infer Rest}`
    ? Rest extends `${infer Name}.${string}`
      ? Name
      : Rest
    : never
  : never;

/** What is given for a setting; virtual times and durations are given as text. */
type ValueOf<Path extends keyof NamedValues> = Path extends "clock.now" | "legacy_end" | "ingest.window"
  ? string
  : Path extends "agent.scripts"
    ? readonly ScriptInput[]
    : NamedValues[Path];

type Sections = Nested<"">;

/** A count, or a duration such as `"48h"` or `"PT48H"`. */
type Amount = number | string;

/** The flags of the command line that programs have a use for, in camelCase. */
interface FlagOptions {
  /** US origin; EU = port + 1, S3 = port + 2. By default 0: any three free ports. */
  readonly port?: number;
  readonly host?: string;
  /** Keeps the state in this folder. */
  readonly data?: string;
  /** Memory and a temporary folder; the default of the library, unless `data` is given. */
  readonly ephemeral?: boolean;
  /** A snapshot file that the world `main` begins with. */
  readonly import?: string;
  /** A file that the world `main` is written to by `close`. */
  readonly exportOnExit?: string;
  readonly allowedHosts?: readonly string[];
  readonly corsOrigins?: readonly string[];
  /** A configuration file. These options take precedence over it. */
  readonly config?: string;
  /** Virtual time at which a fresh world starts, ISO 8601. */
  readonly now?: string;
  readonly serviceVersion?: string;
  readonly applicationVersion?: string;
  readonly agentServerVersion?: string;
  readonly rateLimits?: "on" | "off" | boolean;
}

/**
 * The keys of the configuration file, or its flags in camelCase: `{ clock: "frozen", now: "2026-01-01T00:00:00Z",
 * seed: 7, limits: { workflow_timeout: "PT48H" } }`. By default: free ports, data in memory, no rate limits.
 */
export type EmulatorOptions = FlagOptions &
  Omit<Sections, "clock" | "auth" | "agent" | "rate_limits" | "limits" | "timings" | "assumptions"> & {
    readonly clock?: "wall" | "flowing" | "frozen" | NonNullable<Sections["clock"]>;
    readonly auth?: "any" | "keys" | NonNullable<Sections["auth"]>;
    /** Assistants and scripts are written as in the configuration file. */
    readonly agent?: Omit<NonNullable<Sections["agent"]>, "assistants" | "scripts"> & {
      readonly assistants?: readonly Readonly<Record<string, unknown>>[];
      readonly scripts?: readonly Readonly<Record<string, unknown>>[];
    };
    readonly rate_limits?: Omit<NonNullable<Sections["rate_limits"]>, "headers"> & {
      readonly headers?: string;
      readonly rows?: Readonly<Record<string, unknown>>;
    };
    readonly limits?: { readonly [Name in keyof typeof LIMITS]?: Amount };
    readonly timings?: { readonly [Name in keyof typeof TIMINGS]?: Amount };
    readonly assumptions?: Readonly<Record<string, unknown>>;
  };
