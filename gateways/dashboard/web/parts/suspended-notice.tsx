/** Above settings of a suspended merchant: why nothing can be changed. */
import { useAsked } from '../asked.ts';
import { useScreenContext } from '../context.ts';
import { Glyph, Said } from './marks.tsx';

export function SuspendedNotice() {
  const { api, place } = useScreenContext();
  const suspension = useAsked('business', () => api.business(place)).value?.suspension ?? null;
  if (suspension === null) return null;
  return (
    <div class="notice" role="note">
      <Glyph name="halt" />
      <div>
        <strong>
          Suspended: <Said text={suspension.reason} />
        </strong>
        You can look at everything here. Changes are refused until the operator lifts the suspension; your API
        keys are refused, too.
      </div>
    </div>
  );
}
