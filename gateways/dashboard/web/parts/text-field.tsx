/** A labelled field of a form, with what is wrong with it, or a note. */

export interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly note?: string;
  /** Absent: nothing is wrong. */
  readonly error?: string | undefined;
  /** A day and a time. */
  readonly isTime?: boolean;
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url' | 'email' | 'tel';
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

/** Of a form that was just refused, once that is drawn. */
export const focusFirstWrong = (form: HTMLFormElement): void =>
  void window.requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());

/** What is still wrong when a field is typed into: it is judged again when the form is sent. */
export function withoutErrorAt<Errors extends { readonly [name: string]: string | undefined }>(
  errors: Errors,
  field: EventTarget | null,
): Errors {
  if (!(field instanceof HTMLInputElement) || errors[field.name] === undefined) return errors;
  const { [field.name]: _corrected, ...others } = errors;
  return others as Errors;
}
