/** Above every screen of a suspended merchant: why nothing can be changed. */
import { useEffect } from 'preact/hooks';
import { useAsked } from '../asked.ts';
import { useScreenContext } from '../context.ts';
import { Glyph, UserText } from './marks.tsx';

export function SuspendedNotice() {
  const { api, place, liveState } = useScreenContext();
  const isRefused = liveState.connection.is === 'suspended';
  const { value, again } = useAsked('business', () => api.call('GET business', place), ['merchant']);
  // suspended while the page is open: the earlier answer has no reason
  useEffect(() => {
    if (isRefused) again();
  }, [isRefused]);
  const suspension = value?.suspension ?? null;
  if (suspension === null && !isRefused) return null;
  return (
    <div class="over-screen">
      <div class="notice" role="note">
        <Glyph name="halt" />
        <div>
          <strong>
            {suspension === null ? (
              'This account is suspended.'
            ) : (
              <>
                Suspended: <UserText text={suspension.reason} />
              </>
            )}
          </strong>
          You can look at everything here. Changes are refused until the operator lifts the suspension; your
          API keys are refused, too.
        </div>
      </div>
    </div>
  );
}
