import type { ComponentChildren } from "preact";

interface FieldProps {
  readonly name: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form field with its name above and a hint below. */
export function Field({ name, hint, children }: FieldProps) {
  return (
    <label class="field">
      <span class="field-name">{name}</span>
      {children}
      {hint !== undefined && <small class="muted">{hint}</small>}
    </label>
  );
}

interface TextProps {
  readonly name: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
}

export function TextField({ name, value, set, hint, placeholder }: TextProps) {
  return (
    <Field name={name} hint={hint}>
      <input
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </Field>
  );
}

interface ChoiceProps extends Omit<TextProps, "placeholder"> {
  /** The value to send, and its label. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function ChoiceField({ name, value, set, hint, options }: ChoiceProps) {
  return (
    <Field name={name} hint={hint}>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
