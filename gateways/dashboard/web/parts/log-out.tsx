/** Logging out; a failure is shown, since someone who leaves a shared computer must know. */
import { useState } from 'preact/hooks';
import type { Failure } from '../wire/failure.ts';
import { Glyph } from './marks.tsx';

/** Logs out: null on success, else the failure. */
export type LogOut = () => Promise<Failure | null>;

export function LogOutButton({ logOut }: { readonly logOut: LogOut }) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const clicked = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    // removed first, so that the same message is announced again on another failure
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
