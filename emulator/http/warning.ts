const NAMES_SHOWN = 20;
const LONGEST = 1000;

/** What the journal says of members that were sent and that nothing reads. */
export function noteOf(unknown: readonly string[]): { readonly unknown_fields?: readonly string[] } {
  return unknown.length > 0 ? { unknown_fields: unknown } : {};
}

/** What the headers of a reply say of them, and of its own members that the specification does not define. */
export function warning(unknown: readonly string[], beyond: readonly string[]): Record<string, string> {
  if (unknown.length === 0 && beyond.length === 0) return {};
  const said = [
    ...(unknown.length > 0 ? [`unknown fields: ${shown(unknown)}`] : []),
    ...(beyond.length > 0 ? [`answered beyond the specification: ${shown(beyond)}`] : []),
  ];
  return { "x-emulator-warning": said.join("; ") };
}

/** Header values hold printable ASCII only; names of members can be anything. */
function shown(names: readonly string[]): string {
  return names
    .slice(0, NAMES_SHOWN)
    .join(", ")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, LONGEST);
}
