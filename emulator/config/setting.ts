import type { Kind } from "./kinds.ts";

/** One setting: its flag, environment variable, file key and option are derived from this row. */
export interface Setting<T = unknown> {
  readonly kind: Kind<T>;
  /** The default value; null means none. */
  readonly initial: T | null;
  readonly help: string;
  /** The flag without dashes; settings without one are set by file, environment or option. */
  readonly flag?: string;
  /** Placeholder of the flag's value in help, if not derived from its kind: `<dir>`. */
  readonly word?: `<${string}>`;
  /** A boolean flag without a value. */
  readonly bare?: true;
  /** The value is never quoted in messages. */
  readonly secret?: true;
}

/** Creates a setting. */
export function setting<T>(
  kind: Kind<T>,
  initial: T | null,
  help: string,
  more: Pick<Setting, "flag" | "word" | "bare" | "secret"> = {},
): Setting<T> {
  return { kind, initial, help, ...more };
}
