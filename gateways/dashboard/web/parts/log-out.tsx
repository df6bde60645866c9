/** The way out; when it fails it says so, since who walks away from a shared computer must know. */
import { useState } from 'preact/hooks';
import type { Failure } from '../wire/failure.ts';
import { Glyph } from './marks.tsx';

/** Logs out: null when that is done, else why it is not. */
export type LogOut = () => Promise<Failure | null>;

export function LogOutButton({ logOut }: { readonly logOut: LogOut }) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const clicked = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    // gone first, so that the same words are said again when it fails again
    setFailure(null);
    setFailure(await logOut());
    setBusy(false);
  };
  return (
    <>
      {failure !== null && (
        <div class="notice bad" role="alert">
          <Glyph name="note" />
          <div>
            <strong>You may still be logged in.</strong>
            {failure.message}
          </div>
        </div>
      )}
      <button type="button" class="button second" aria-busy={isBusy} onClick={() => void clicked()}>
        {isBusy ? 'Logging out' : failure === null ? 'Log out' : 'Try again to log out'}
      </button>
    </>
  );
}
