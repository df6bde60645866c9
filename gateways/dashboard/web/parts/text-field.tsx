/** A labelled field of a form, with what is wrong with it, or a note. */

export interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly note?: string;
  /** Absent: nothing is wrong. */
  readonly error?: string | undefined;
  /** A day and a time. */
  readonly isTime?: boolean;
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url';
  readonly maxLength?: number;
  readonly min?: string;
  readonly placeholder?: string;
  readonly defaultValue?: string;
}

export function TextField({ label, name, note, error, isTime = false, ...input }: TextFieldProps) {
  const below = error ?? note;
  return (
    <label class="field">
      {label}
      <input
        {...(isTime ? ({ type: 'datetime-local' } as const) : ({ type: 'text' } as const))}
        {...input}
        name={name}
        autocomplete="off"
        aria-invalid={error !== undefined}
        aria-describedby={below === undefined ? undefined : `${name}-note`}
      />
      {below !== undefined && (
        <span id={`${name}-note`} class={error === undefined ? 'soft' : 'wrong'}>
          {below}
        </span>
      )}
    </label>
  );
}
