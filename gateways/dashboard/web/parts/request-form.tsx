/** A form that sends one request.
 *  1. One form is one request. After an unclear answer it stays as it was sent, so that sent again it is the same
 *     request; after a refusal it may be changed, and begins another one.
 *  2. What is wrong with a field, by its reading or by the service, is said at the field; the first one has the
 *     focus. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Failure, Result } from '../wire/failure.ts';
import type { FieldErrors, ReadForm, TextOf } from '../wire/form-reading.ts';
import { FormFields, type Fields } from './form-fields.tsx';
import { Glyph, type GlyphName } from './marks.tsx';
import { FormFailure } from './notices.tsx';
import { useCreation } from './use-submit.ts';

export interface RequestFormProps<Request, Value> {
  /** For screen readers. */
  readonly name: string;
  /** Of its button. */
  readonly word: string;
  /** While it is sent; absent: the same. */
  readonly busyWord?: string;
  /** After the word; `sign`: before it. */
  readonly glyph?: GlyphName;
  readonly sign?: GlyphName;
  readonly isDanger?: boolean;
  readonly fields: Fields;
  readonly read: (text: TextOf) => ReadForm<Request>;
  readonly send: (request: Request, idempotencyKey: string) => Promise<Result<Value>>;
  readonly onDone: (value: Value) => void;
  /** Absent: it is the only thing of its card. */
  readonly onBack?: (() => void) | undefined;
  /** Absent: `Back`. */
  readonly backWord?: string;
  /** It is judged at each key: what is wrong is said at once, and the button waits. `isSame`: nothing would change. */
  readonly live?: { readonly isSame?: (request: Request) => boolean };
  /** Something has to be chosen first: the button waits. */
  readonly isWaiting?: boolean;
  /** The focus begins at its first field, not at the form. */
  readonly beginsAtField?: boolean;
  /** After each key. */
  readonly onTyped?: (text: TextOf) => void;
  /** What to do when it may have been executed; absent: it is sent again, and executed once. */
  readonly unclear?: string;
  /** What is said of a failure that the form knows; null: the usual. */
  readonly says?: (failure: Failure) => ComponentChildren;
  /** What it will do. */
  readonly children?: ComponentChildren;
}

const nothingWrong: FieldErrors = {};

export function RequestForm<Request, Value>(props: RequestFormProps<Request, Value>) {
  const { name, fields, onBack, beginsAtField = false, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const { errors, isFixed, failure, submitted, typed, ...button } = useRequest(form, props);
  return (
    <form
      class={onBack === undefined ? 'form bare' : 'form'}
      ref={form}
      tabIndex={onBack === undefined ? undefined : -1}
      aria-label={name}
      onSubmit={submitted}
      onInput={typed}
      noValidate
    >
      {onBack !== undefined && <FocusOn form={form} atField={beginsAtField} />}
      <fieldset disabled={isFixed} class="whole-form">
        <legend class="unseen">{name}</legend>
        <FormFields fields={fields} errors={errors} />
        {children}
      </fieldset>
      {failure !== null && (props.says?.(failure) ?? <Failing failure={failure} unclear={props.unclear} />)}
      <Buttons {...props} {...button} />
    </form>
  );
}

type Buttoned = Pick<
  RequestFormProps<never, never>,
  'word' | 'busyWord' | 'glyph' | 'sign' | 'isDanger' | 'isWaiting' | 'onBack' | 'backWord'
>;

interface ButtonsProps extends Buttoned {
  readonly isBusy: boolean;
  /** Nothing would be sent. */
  readonly isIdle: boolean;
}

const Buttons = ({ word, busyWord = word, glyph, sign, isBusy, onBack, ...of }: ButtonsProps) => (
  <div class="buttons">
    <button
      class={of.isDanger === true ? 'button fit danger' : 'button fit'}
      type="submit"
      aria-busy={isBusy}
      disabled={of.isIdle || of.isWaiting === true}
    >
      {sign !== undefined && <Glyph name={sign} />}
      {isBusy ? busyWord : word}
      {glyph !== undefined && <Glyph name={glyph} />}
    </button>
    {onBack !== undefined && (
      <button class="button second fit" type="button" onClick={onBack}>
        {of.backWord ?? 'Back'}
      </button>
    )}
  </div>
);

/** What was typed, judged and sent. */
function useRequest<Request, Value>(
  form: { readonly current: HTMLFormElement | null },
  { read, send, onDone, onTyped, live }: RequestFormProps<Request, Value>,
) {
  const [errors, setErrors] = useState(nothingWrong);
  const [last, setLast] = useState<ReadForm<Request> | null>(null);
  const creation = useCreation(send, onDone);
  const { isBusy, isFixed, failure } = creation;
  useEffect(() => {
    if (failure?.param !== undefined && form.current !== null) focusFirstWrong(form.current);
  }, [failure]);

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
  const typed = ({ target }: Event): void => {
    if (form.current === null) return;
    const text = textsOf(form.current);
    const found = live === undefined ? null : read(text);
    setLast(found);
    setErrors(found === null ? withoutErrorAt(errors, target) : (found.errors ?? nothingWrong));
    creation.edited();
    onTyped?.(text);
  };
  return {
    errors: failure?.param === undefined ? errors : { ...errors, [failure.param]: failure.message },
    isBusy,
    isFixed,
    isIdle: live !== undefined && !isFixed && waits(live, last),
    failure,
    submitted,
    typed,
  };
}

/** `typed`: null when nothing was typed yet. */
const waits = <Request,>(
  { isSame }: NonNullable<RequestFormProps<Request, unknown>['live']>,
  typed: ReadForm<Request> | null,
): boolean =>
  typed === null ? isSame !== undefined : typed.request === null || isSame?.(typed.request) === true;

const Failing = ({
  failure,
  unclear,
}: {
  readonly failure: Failure;
  readonly unclear: string | undefined;
}) => <FormFailure failure={failure} {...(unclear === undefined ? {} : { unclear })} />;

export interface ActionFormProps<Value> extends Pick<
  RequestFormProps<unknown, Value>,
  'word' | 'isDanger' | 'onDone' | 'children'
> {
  /** Sent again with the same key, it is executed once. */
  readonly send: (idempotencyKey: string) => Promise<Result<Value>>;
  readonly onBack: () => void;
}

/** Says what will be done, and does it at the press of a second button. */
export const ActionForm = <Value,>({ send, ...rest }: ActionFormProps<Value>) => (
  <RequestForm name={rest.word} fields={[]} read={nothing} send={(_nothing, key) => send(key)} {...rest} />
);

const nothing = (): ReadForm<object> => ({ request: {}, errors: null });

interface FocusOnProps {
  readonly form: { readonly current: HTMLFormElement | null };
  readonly atField: boolean;
}

/** The button that opened it is gone: the focus moves to the form, and afterwards to the heading of its card or row,
 *  unless it has moved on. At once, because whoever presses a key a moment later has chosen another element. */
function FocusOn({ form, atField }: FocusOnProps) {
  useLayoutEffect(() => {
    const own = form.current;
    const card = own?.closest('li, section');
    (atField ? own?.querySelector<HTMLElement>('input') : own)?.focus();
    return () => {
      const at = document.activeElement;
      if (at === null || at === document.body || own?.contains(at) === true)
        card?.querySelector<HTMLElement>('h2')?.focus();
    };
  }, [form]);
  return null;
}

/** Of a form that was just refused, once that is drawn. */
const focusFirstWrong = (form: HTMLFormElement): void =>
  void window.requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());

/** What is still wrong when a field is typed into: it is judged again when the form is sent. */
function withoutErrorAt(errors: FieldErrors, field: EventTarget | null): FieldErrors {
  const name = field instanceof HTMLElement ? field.getAttribute('name') : null;
  return Object.fromEntries(Object.entries(errors).filter(([each]) => each !== name));
}

function textsOf(form: HTMLFormElement): TextOf {
  const fields = new FormData(form);
  return (name) => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
}
