/** A form that sends one request.
 *  1. One form is one request. After an unclear answer it stays as it was sent, so that sent again it is the same
 *     request; after a refusal it may be changed, and begins another one.
 *  2. What the service refuses is said at the field, if the form has it. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Result } from '../wire/failure.ts';
import type { FieldErrors, ReadForm, TextOf } from '../wire/form-reading.ts';
import { useFocusWithin } from './action-form.tsx';
import { FormFailure } from './notices.tsx';
import { focusFirstWrong, withoutErrorAt } from './text-field.tsx';
import { useCreation } from './use-submit.ts';

export interface RequestFormProps<Request, Value> {
  /** For screen readers. */
  readonly name: string;
  /** Of its button. */
  readonly word: string;
  readonly busyWord: string;
  readonly read: (text: TextOf) => ReadForm<Request>;
  readonly send: (request: Request, idempotencyKey: string) => Promise<Result<Value>>;
  readonly onDone: (value: Value) => void;
  /** Absent: it is the only thing of its card. */
  readonly onBack?: () => void;
  /** After each key. */
  readonly onTyped?: (text: TextOf) => void;
  readonly children: (errors: FieldErrors) => ComponentChildren;
}

const nothingWrong: FieldErrors = {};

export function RequestForm<Request, Value>(props: RequestFormProps<Request, Value>) {
  const { name, word, busyWord, read, send, onDone, onBack, onTyped, children } = props;
  const [errors, setErrors] = useState(nothingWrong);
  const form = useRef<HTMLFormElement>(null);
  const creation = useCreation(send, onDone);
  const { isBusy, failure } = creation;
  const refused = failure?.param === undefined ? errors : { ...errors, [failure.param]: failure.message };

  const submitted = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBusy || form.current === null) return;
    const found = read(textsOf(form.current));
    if (!creation.isSent() && found.request === null) {
      setErrors(found.errors ?? nothingWrong);
      creation.show(null);
      return focusFirstWrong(form.current);
    }
    setErrors(nothingWrong);
    creation.create(found.request);
  };

  return (
    <form
      class={onBack === undefined ? 'form bare' : 'form'}
      ref={form}
      tabIndex={onBack === undefined ? undefined : -1}
      aria-label={name}
      onSubmit={submitted}
      onInput={({ target, currentTarget }) => {
        setErrors(withoutErrorAt(errors, target));
        creation.edited();
        onTyped?.(textsOf(currentTarget));
      }}
      noValidate
    >
      {onBack !== undefined && <FocusOn form={form} />}
      <fieldset disabled={creation.isFixed} class="whole-form">
        <legend class="unseen">{name}</legend>
        {children(refused)}
      </fieldset>
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy}>
          {isBusy ? busyWord : word}
        </button>
        {onBack !== undefined && (
          <button class="button second fit" type="button" onClick={onBack}>
            Back
          </button>
        )}
      </div>
    </form>
  );
}

function FocusOn({ form }: { readonly form: { readonly current: HTMLFormElement | null } }) {
  useFocusWithin(form);
  return null;
}

function textsOf(form: HTMLFormElement): TextOf {
  const fields = new FormData(form);
  return (name) => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
}
