/** The logo: chosen or dropped, sent at once, and shown as buyers see it. */
import { useRef, useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import { isUnclear, type Failure, type Result } from '../wire/failure.ts';
import type { Business } from '../wire/settings-api.ts';
import { Glyph, Said } from './marks.tsx';
import { FormFailure } from './notices.tsx';

const bytesMax = 256 * 1024;
const types: readonly string[] = ['image/png', 'image/svg+xml'];

export interface LogoCardProps {
  readonly business: Business;
  readonly onChanged: () => void;
}

export function LogoCard({ business: { name, logoUrl, logoUploaded }, onChanged }: LogoCardProps) {
  const { api, place, announce } = useScreenContext();
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const run = async (word: string, said: string, send: () => Promise<Result<Business>>): Promise<void> => {
    if (busy !== null) return;
    setBusy(word);
    setFailure(null);
    const result = await send();
    setBusy(null);
    if (!result.ok) return setFailure(result.failure);
    announce(said);
    onChanged();
  };
  const upload = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const problem = problemOf(file);
    if (problem !== null) return setFailure(problem);
    await run('Uploading', 'The logo was stored. Buyers see it within 5 seconds.', () =>
      api.putLogo(place, file),
    );
  };
  const dropped = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void upload(event.dataTransfer?.files[0]);
  };

  return (
    <section class="slip lone act" aria-labelledby="logo">
      <h2 id="logo" tabIndex={-1}>
        Logo
      </h2>
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={dropped}
      >
        {logoUrl === null ? (
          <p class="soft">None: pages show the first letter of your name.</p>
        ) : (
          <p class="shop-shown">
            <img class="logo" src={logoUrl} alt={`Logo of ${name}`} width="44" height="44" />
            <span>
              <small>Payment to</small>
              <strong>
                <Said text={name} />
              </strong>
            </span>
          </p>
        )}
        <p class="soft">
          PNG or SVG, square, at most 256 KiB
          {logoUrl !== null && !logoUploaded ? '. The operator has set this one' : ''}. Choose a file, or drop
          it here.
        </p>
      </div>
      {failure !== null && <LogoFailure failure={failure} />}
      <div class="buttons">
        <input
          ref={input}
          hidden
          type="file"
          accept={types.join(',')}
          aria-label="Logo file"
          onChange={({ currentTarget }) => {
            void upload(currentTarget.files?.[0]);
            // the same file can be chosen again
            currentTarget.value = '';
          }}
        />
        <button
          type="button"
          class="button fit"
          aria-busy={busy !== null}
          onClick={() => input.current?.click()}
        >
          {busy ?? (logoUrl === null ? 'Choose a file' : 'Choose another file')}
        </button>
        {logoUrl !== null && (
          <button
            type="button"
            class="button second fit"
            onClick={() => void run('Removing', 'The logo was removed.', () => api.removeLogo(place))}
          >
            <Glyph name="cross" />
            Remove the logo
          </button>
        )}
      </div>
    </section>
  );
}

/** Known before anything is sent; the service checks the content. */
function problemOf({ type, size }: File): Failure | null {
  const message = !types.includes(type)
    ? 'This is neither a PNG nor an SVG.'
    : size > bytesMax
      ? `This file has ${Math.ceil(size / 1024)} KiB; at most 256 KiB are accepted.`
      : null;
  return message === null
    ? null
    : { status: 400, code: 'validation_failed', message, requestId: null, retryAfterSeconds: null };
}

const LogoFailure = ({ failure }: { readonly failure: Failure }) =>
  isUnclear(failure) || failure.code === 'account_suspended' ? (
    <FormFailure failure={failure} unclear="Choose the file again: sent twice it is the same logo." />
  ) : (
    <div class="notice bad" role="alert">
      <Glyph name="note" />
      <div>
        <strong>{failure.message}</strong>
        Nothing was changed. Save the picture anew, then choose it again.
      </div>
    </div>
  );
