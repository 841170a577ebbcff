import type { Change } from "./operators.ts";

/** Code before a bundle: which change is active, and which places were reached. Threads read the environment. */
export const SWITCH_CODE = `globalThis.blindSwitch ??= {
  active: Number(process.env.BLIND_CHANGE ?? -1), reached: new Set(),
  isActive(id) { this.reached.add(id); return this.active === id; },
};`;

/** A change with its number in the sample. */
export interface NumberedChange extends Change {
  readonly id: number;
}

/** A source in which each change can be switched on, so that one bundle contains all of them. */
export function withSwitches(source: string, changes: readonly NumberedChange[]): string {
  const outermost = [...changes].sort((a, b) => a.start - b.start || b.end - a.end);
  return switched(source, 0, source.length, outermost);
}

function switched(source: string, start: number, end: number, [first, ...others]: NumberedChange[]): string {
  if (!first) return source.slice(start, end);
  const inside = others.filter((other) => other.end <= first.end);
  const behind = others.filter((other) => other.start >= first.end);
  const original = switched(source, first.start, first.end, inside);
  return (
    source.slice(start, first.start) +
    switchedCode(first, original) +
    switched(source, first.end, end, behind)
  );
}

function switchedCode({ id, form, text }: NumberedChange, original: string): string {
  const isActive = `globalThis.blindSwitch.isActive(${id})`;
  // The outer braces keep a following `else` with its own `if`.
  if (form === "statement") return `{ if (!${isActive}) { ${original} } }`;
  if (form === "members") return `...(${isActive} ? { ${text} } : { ${original} })`;
  return `(${isActive} ? ${text} : ${original})`;
}
