import type { ComponentChildren } from 'preact';

/** A field with its label above. */
export function Field({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <label>
      <span>{label}</span>
      {children}
    </label>
  );
}

/** One of several values, or any. */
export function Choice(props: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange?: (value: string) => void;
}) {
  const { name, label, value, options, onChange } = props;
  return (
    <Field label={label}>
      <select name={name} onChange={(event) => onChange?.(event.currentTarget.value)}>
        <option value="">any</option>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
