/** A value as indented JSON. */
export function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? "";
  return (
    <pre class="json" tabIndex={0}>
      {text}
    </pre>
  );
}
