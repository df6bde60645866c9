/** A labelled choice of a form. */

export interface SelectFieldProps<Value extends string> {
  readonly label: string;
  readonly name: string;
  readonly choices: readonly (readonly [Value, string])[];
  readonly defaultValue?: Value;
  readonly note?: string;
  /** Absent: nothing is wrong. */
  readonly error?: string | undefined;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, name, choices, defaultValue, note, error } = props;
  const below = error ?? note;
  return (
    <label class="field">
      {label}
      <select
        name={name}
        aria-invalid={error !== undefined}
        aria-describedby={below === undefined ? undefined : `${name}-note`}
      >
        {choices.map(([value, word]) => (
          <option key={value} value={value} selected={value === defaultValue}>
            {word}
          </option>
        ))}
      </select>
      {below !== undefined && (
        <span id={`${name}-note`} class={error === undefined ? 'soft' : 'wrong'}>
          {below}
        </span>
      )}
    </label>
  );
}
