/** A value as indented JSON; stored text stays text. */
export function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? "";
  return (
    <pre class="json" tabIndex={0}>
      {text}
    </pre>
  );
}
