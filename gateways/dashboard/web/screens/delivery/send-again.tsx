/** The button that sends a delivery again. It enables the endpoint first where that is disabled, and says so. */
import { useScreenContext } from '../../context.ts';
import { Glyph } from '../../parts/marks.tsx';
import { Failed } from '../../parts/notices.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import type { Result } from '../../wire/failure.ts';
import type { Delivery, Tries } from '../../wire/types.ts';

/** The try has usually ended by then. */
const triedMs = 1_500;

export interface SendAgainProps {
  readonly delivery: Delivery;
  /** null: not known. */
  readonly tries: Tries | null;
  /** Asks for the delivery and its endpoint again. */
  readonly again: () => void;
}

export function SendAgain({ delivery, tries, again }: SendAgainProps) {
  const { api, place, announce } = useScreenContext();
  const { isBusy, failure, submit } = useSubmit();
  if (delivery.status === 'pending') return <p class="soft">It is just being sent.</p>;
  if (tries?.url === null)
    return <p class="soft">Its endpoint was deleted, so it cannot be sent there again.</p>;
  const enablesFirst = tries?.isEnabled === false;
  const sent = async (): Promise<Result<unknown>> => {
    if (enablesFirst) {
      const enabled = await api.call('PATCH /v1/webhooks/{id}', place, {
        id: delivery.webhookEndpointId,
        body: { enabled: true },
      });
      if (!enabled.ok) return enabled;
    }
    const result = await api.call('POST /v1/webhooks/deliveries/{id}/retry', place, { id: delivery.id });
    // the endpoint may have been disabled or deleted meanwhile: the button says what it would do now
    if (!result.ok) again();
    return result;
  };
  const send = (): void =>
    submit(sent, () => {
      announce(enablesFirst ? 'The endpoint is enabled, and it was sent again.' : 'Sent again.');
      again();
      window.setTimeout(again, triedMs);
    });
  return (
    <>
      {failure !== null && <Failed failure={failure} again={send} />}
      <button type="button" class="button second fit" aria-busy={isBusy} onClick={send}>
        <Glyph name="turn" />
        {isBusy ? 'Sending' : wordOf(delivery, enablesFirst)}
      </button>
    </>
  );
}

const wordOf = ({ status }: Delivery, enablesFirst: boolean): string =>
  enablesFirst ? 'Enable and send' : status === 'success' ? 'Send once more' : 'Send again now';
