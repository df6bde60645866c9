/** The logo: chosen or dropped, sent at once, and shown as buyers see it. */
import { useRef, useState } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import { isUnclear, type Failure, type Result } from '../../wire/failure.ts';
import type { Business } from '../../wire/types.ts';
import { DropArea } from '../../parts/drop-area.tsx';
import { Glyph, UserText } from '../../parts/marks.tsx';
import { FormFailure } from '../../parts/notices.tsx';

const bytesMax = 256 * 1024;
const types: readonly string[] = ['image/png', 'image/svg+xml'];

export interface LogoCardProps {
  readonly business: Business;
  readonly onChanged: () => void;
}

export function LogoCard({ business, onChanged }: LogoCardProps) {
  const { logoUrl } = business;
  const { busy, failure, upload, remove } = useLogo(onChanged);
  const input = useRef<HTMLInputElement>(null);
  return (
    <section class="slip lone act" aria-labelledby="logo">
      <h2 id="logo" tabIndex={-1}>
        Logo
      </h2>
      <DropZone business={business} onFile={upload} />
      {failure !== null && <LogoFailure failure={failure} />}
      <div class="buttons">
        <input
          ref={input}
          hidden
          type="file"
          accept={types.join(',')}
          aria-label="Logo file"
          onChange={({ currentTarget }) => {
            upload(currentTarget.files?.[0]);
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
          <button type="button" class="button second fit" onClick={remove}>
            <Glyph name="cross" />
            Remove the logo
          </button>
        )}
      </div>
    </section>
  );
}

function useLogo(onChanged: () => void) {
  const { api, place, announce } = useScreenContext();
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async (word: string, news: string, send: () => Promise<Result<Business>>): Promise<void> => {
    if (busy !== null) return;
    setBusy(word);
    setFailure(null);
    const result = await send();
    setBusy(null);
    if (!result.ok) return setFailure(result.failure);
    announce(news);
    onChanged();
  };
  const upload = (file: File | undefined): void => {
    if (file === undefined) return;
    const problem = problemOf(file);
    if (problem !== null) return setFailure(problem);
    void run('Uploading', 'The logo was stored. Buyers see it within 5 seconds.', () =>
      api.putLogo(place, file),
    );
  };
  const remove = (): void =>
    void run('Removing', 'The logo was removed.', () => api.call('DELETE logo', place));
  return { busy, failure, upload, remove };
}

interface DropZoneProps {
  readonly business: Business;
  readonly onFile: (file: File | undefined) => void;
}

/** The logo as buyers see it; a file can be dropped here. */
function DropZone({ business: { name, logoUrl, logoUploaded }, onFile }: DropZoneProps) {
  return (
    <DropArea onFile={onFile}>
      {logoUrl === null ? (
        <p class="soft">None: pages show the first letter of your name.</p>
      ) : (
        <p class="shop-shown">
          <img class="logo" src={logoUrl} alt={`Logo of ${name}`} width="44" height="44" />
          <span>
            <small>Payment to</small>
            <strong>
              <UserText text={name} />
            </strong>
          </span>
        </p>
      )}
      {logoUrl !== null && !logoUploaded && <p class="soft">The operator has set this one.</p>}
      <p class="soft">PNG or SVG, square, at most 256 KiB. Choose a file, or drop it here.</p>
    </DropArea>
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
