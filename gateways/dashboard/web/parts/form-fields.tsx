/** The fields of a form as data: their names, notes and bounds. Each is drawn with what is wrong with it, or its
 *  note. */
import { toChildArray, type ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { FieldErrors } from '../wire/form-reading.ts';
import type { Choices } from './chips.tsx';

interface Labelled {
  readonly name: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly initial?: string | undefined;
}

export interface TextSpec extends Labelled {
  readonly type?: 'date' | 'datetime-local';
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url' | 'email' | 'tel';
  readonly maxLength?: number;
  readonly min?: string;
  readonly max?: string;
  readonly placeholder?: string;
  readonly spellcheck?: boolean;
  readonly autocapitalize?: 'none';
}

interface AreaSpec extends Labelled {
  readonly rows: number;
  readonly maxLength: number;
}

interface SelectSpec extends Labelled {
  readonly options: Choices;
}

/** One of several, each with a note. */
interface RadioSpec extends Labelled {
  readonly radios: readonly (readonly [value: string, word: string, note: string])[];
  readonly isStacked?: boolean;
}

/** A box: its text is `on`, or nothing. */
interface BoxSpec extends Labelled {
  readonly box: true;
}

export type Field = TextSpec | AreaSpec | SelectSpec | RadioSpec | BoxSpec;
/** An array: side by side. A function: a part of this form alone. */
export type Fields = readonly (Field | readonly Field[] | ((errors: FieldErrors) => ComponentChildren))[];

interface FieldsProps {
  readonly fields: Fields;
  readonly errors: FieldErrors;
}

export const FormFields = ({ fields, errors }: FieldsProps) => (
  <>
    {toChildArray(
      fields.map((each) => {
        if (typeof each === 'function') return each(errors);
        if ('name' in each) return <OneField key={each.name} field={each} errors={errors} />;
        const [first] = each;
        return (
          <div class="pair" key={`pair of ${first?.name ?? ''}`}>
            <FormFields fields={each} errors={errors} />
          </div>
        );
      }),
    )}
  </>
);

function OneField({ field, errors }: { readonly field: Field; readonly errors: FieldErrors }) {
  const noteId = useId();
  if ('radios' in field) return <Radios field={field} />;
  if ('box' in field) return <Box field={field} />;
  const { label, note, initial, ...input } = field;
  const error = errors[field.name];
  const below = error ?? note;
  const common = {
    'aria-invalid': error !== undefined,
    'aria-describedby': below === undefined ? undefined : noteId,
  };
  return (
    <label class="field">
      {label}
      <Input field={{ initial, ...input }} common={common} />
      {below !== undefined && (
        <span id={noteId} class={error === undefined ? 'soft' : 'wrong'}>
          {below}
        </span>
      )}
    </label>
  );
}

interface InputProps {
  readonly field: Omit<TextSpec, 'label'> | Omit<AreaSpec, 'label'> | Omit<SelectSpec, 'label'>;
  readonly common: object;
}

function Input({ field: { initial, ...field }, common }: InputProps) {
  if ('rows' in field) return <textarea {...field} {...common} defaultValue={initial ?? ''} />;
  if ('options' in field)
    return (
      <select name={field.name} {...common}>
        {field.options.map(([value, word]) => (
          <option key={value} value={value} selected={value === initial}>
            {word}
          </option>
        ))}
      </select>
    );
  const { type, ...input } = field;
  return (
    <input
      {...(type === undefined ? ({ type: 'text' } as const) : { type })}
      {...input}
      {...common}
      defaultValue={initial ?? ''}
      autocomplete="off"
    />
  );
}

const Radios = ({ field: { name, label, radios, initial, isStacked } }: { readonly field: RadioSpec }) => (
  <fieldset class={isStacked === true ? 'stacked' : undefined}>
    <legend>{label}</legend>
    {radios.map(([value, word, note]) => (
      <label key={value} class="check">
        <input type="radio" name={name} value={value} defaultChecked={value === initial} />
        <span>
          <b>{word}</b>
          <span class="soft">{note}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

const Box = ({ field: { name, label, note, initial } }: { readonly field: BoxSpec }) => (
  <label class="check">
    <input type="checkbox" name={name} defaultChecked={initial === 'on'} />
    <span>
      <b>{label}</b>
      <span class="soft">{note}</span>
    </span>
  </label>
);
