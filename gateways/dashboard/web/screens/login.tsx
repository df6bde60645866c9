/** The login screen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Glyph } from '../parts/marks.tsx';
import type { Api } from '../wire/api.ts';
import { adviceOn, secondsText, type Failure } from '../wire/failure.ts';
import type { Me } from '../wire/types.ts';
import './login.css';

/** Maximum length that the API accepts; a browser silently cuts longer pasted text. */
const emailMax = 254;
/** An operator's password is the operator token. */
const passwordMax = 256;

export interface LoginProps {
  readonly api: Api;
  /** Why the login is shown: the previous one has ended. */
  readonly reason: string | null;
  readonly onIn: (me: Me) => void;
}

export function Login({ api, reason, onIn }: LoginProps) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const wait = useWait(failure);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    document.title = 'Log in · Galla';
    form.current?.querySelector('input')?.focus();
  }, []);

  const submitted = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || wait > 0 || form.current === null) return;
    const fields = new FormData(form.current);
    setBusy(true);
    const result = await api.logIn(textOf(fields, 'email'), textOf(fields, 'password'));
    if (result.ok) return onIn(result.value);
    setBusy(false);
    setFailure(result.failure);
    form.current.querySelector<HTMLInputElement>('[name=password]')?.select();
  };

  return (
    <div class="desk lone">
      <div class="slip lone">
        <main class="act login">
          <span class="monogram" aria-hidden="true">
            <Glyph name="till" />
          </span>
          <h1>Log in to Galla</h1>
          <p class="soft">{reason ?? 'See every payment the moment it happens.'}</p>
          <form ref={form} onSubmit={(event) => void submitted(event)}>
            {failure !== null && <Refused failure={failure} wait={wait} />}
            <label class="field">
              E-mail
              <input
                name="email"
                type="text"
                inputmode="email"
                autocomplete="username"
                autocapitalize="none"
                spellcheck={false}
                required
                maxLength={emailMax}
              />
            </label>
            <Password />
            <button class="button" type="submit" aria-busy={isBusy} disabled={wait > 0}>
              {wait > 0 ? `Try again in ${secondsText(wait)}` : isBusy ? 'Logging in' : 'Log in'}
              {wait === 0 && <Glyph name="arrow" />}
            </button>
          </form>
          <WhereIsIt />
        </main>
      </div>
      <footer class="foot">
        <p class="by">Payments by Galla</p>
      </footer>
    </div>
  );
}

const WhereIsIt = () => (
  <details>
    <summary>
      Where is my login?
      <Glyph name="down" />
    </summary>
    <p class="soft">
      On a computer of your own it is printed where Galla was started. Elsewhere ask the operator of this
      service, who creates logins and sets new passwords.
    </p>
  </details>
);

function Password() {
  const [isShown, setShown] = useState(false);
  return (
    <div class="field">
      <label for="password">Password</label>
      <div class="with-button">
        <input
          id="password"
          name="password"
          {...(isShown ? ({ type: 'text' } as const) : ({ type: 'password' } as const))}
          autocomplete="current-password"
          required
          maxLength={passwordMax}
        />
        <button
          type="button"
          aria-label="Show the password"
          aria-pressed={isShown}
          onClick={() => setShown((before) => !before)}
        >
          <Glyph name="eye" />
        </button>
      </div>
    </div>
  );
}

const Refused = ({ failure, wait }: { readonly failure: Failure; readonly wait: number }) => (
  <div class="notice bad" role="alert">
    <Glyph name="note" />
    <div>
      <strong>
        {failure.status === 401 ? 'E-mail and password do not belong together.' : failure.message}
      </strong>
      {failure.status === 401
        ? 'Check both and try again.'
        : wait > 0
          ? 'Too many tries in a row. The button comes back by itself.'
          : adviceOn(failure)}
    </div>
  </div>
);

/** Seconds until the next attempt is allowed. */
function useWait(failure: Failure | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => setLeft(failure?.retryAfterSeconds ?? 0), [failure]);
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = window.setTimeout(() => setLeft(left - 1), 1000);
    return () => window.clearTimeout(timer);
  }, [left]);
  return left;
}

const textOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};
