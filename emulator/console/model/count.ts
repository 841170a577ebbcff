/** A number with its noun: "1 file", "1,024 rows". */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString("en")} ${noun}${amount === 1 ? "" : "s"}`;
}
