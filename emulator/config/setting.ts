import type { Kind } from "./kinds.ts";

/** One thing that a user can set: its flag, environment twin, file key and option all come from this row. */
export interface Setting<T = unknown> {
  readonly kind: Kind<T>;
  /** The value when nobody gives one; null stands for “none”. */
  readonly initial: T | null;
  readonly help: string;
  /** The flag without dashes; settings without one are set by file, environment or option. */
  readonly flag?: string;
  /** What help calls the value of the flag, where its kind does not tell: `<dir>`. */
  readonly word?: `<${string}>`;
  /** The flag stands alone and means true. */
  readonly bare?: true;
  /** Problems never quote the value. */
  readonly secret?: true;
}

/** One row of the settings. */
export function setting<T>(
  kind: Kind<T>,
  initial: T | null,
  help: string,
  more: Pick<Setting, "flag" | "word" | "bare" | "secret"> = {},
): Setting<T> {
  return { kind, initial, help, ...more };
}
