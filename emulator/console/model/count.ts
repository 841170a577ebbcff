/** A number with its noun: "1 file", "1,024 rows". */
export function count(many: number, noun: string): string {
  return `${many.toLocaleString("en")} ${noun}${many === 1 ? "" : "s"}`;
}
