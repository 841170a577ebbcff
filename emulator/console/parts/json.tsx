import { printExact } from "../../../contracts/spec/exact-json.ts";
/** A value as indented JSON. */
export function Json({ value }: { readonly value: unknown }) {
  const text = printExact(value, undefined, 2) ?? "";
  return (
    <pre class="json" tabIndex={0}>
      {text}
    </pre>
  );
}
