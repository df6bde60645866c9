/** A form that says what will be done before it does it. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Result } from '../wire/failure.ts';
import { FormFailure } from './notices.tsx';
import { useSubmit } from './use-submit.ts';

export interface ActionFormProps {
  /** Of the button that does it. */
  readonly word: string;
  readonly isDanger?: boolean;
  readonly send: () => Promise<Result<unknown>>;
  readonly onDone: () => void;
  readonly onBack: () => void;
  /** What it will do. */
  readonly children: ComponentChildren;
}

/** Says what will be done, and does it at the press of a second button. Sent twice it does the same. */
export function ActionForm({ word, isDanger = false, send, onDone, onBack, children }: ActionFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusWithin(form);
  const { isBusy, failure, submit } = useSubmit();
  return (
    <form
      class="form"
      ref={form}
      tabIndex={-1}
      aria-label={word}
      onSubmit={(event) => submit(send, onDone, event)}
    >
      {children}
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button class={isDanger ? 'button fit danger' : 'button fit'} type="submit" aria-busy={isBusy}>
          {word}
        </button>
        <button class="button second fit" type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

/** The button that opened it is gone: the focus moves to the form, and afterwards to the heading of its card or row. At
 *  once, because whoever presses a key a moment later has chosen another element. */
export function useFocusWithin(form: { readonly current: HTMLFormElement | null }): void {
  useLayoutEffect(() => {
    const card = form.current?.closest('li, section');
    form.current?.focus();
    return () => card?.querySelector<HTMLElement>('h2')?.focus();
  }, [form]);
}
