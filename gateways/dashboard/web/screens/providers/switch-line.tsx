/** One setting that is on or off, changed at once. */
import type { ComponentChildren } from 'preact';
import { useScreenContext } from '../../context.ts';
import type { Result } from '../../wire/failure.ts';
import { FormFailure } from '../../parts/notices.tsx';
import { useSubmit } from '../../parts/use-submit.ts';

export interface SwitchLineProps {
  readonly name: string;
  readonly isOn: boolean;
  /** Why it cannot be switched on here; null: it can. */
  readonly locked?: string | null;
  readonly send: (isOn: boolean) => Promise<Result<unknown>>;
  readonly onDone: () => void;
  /** What it does. */
  readonly children: ComponentChildren;
}

export function SwitchLine({ name, isOn, locked = null, send, onDone, children }: SwitchLineProps) {
  const { announce } = useScreenContext();
  const { isBusy, failure, submit } = useSubmit();
  const change = (next: boolean): void =>
    submit(
      () => send(next),
      () => {
        announce(`${name}: ${next ? 'on' : 'off'}.`);
        onDone();
      },
    );
  return (
    <div class="switch-line">
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          aria-busy={isBusy}
          disabled={locked !== null && !isOn}
          onChange={(event) => {
            // it shows what is stored, not what was asked for
            event.currentTarget.checked = isOn;
            change(!isOn);
          }}
        />
        <span>
          <b>{name}</b>
          <span class="soft">{locked ?? children}</span>
        </span>
      </label>
      {failure !== null && <FormFailure failure={failure} />}
    </div>
  );
}
