/** Asks for payment links again when a payment of theirs succeeds. The link counts it a moment after the payment
 *  is shown, so it is asked for until then. */
import { useEffect, useRef } from 'preact/hooks';
import { useScreenContext } from '../context.ts';

/** After the payment, in milliseconds. */
const askedAfterMs = [300, 1_500, 5_000];

/** `referenceId` null: of any link. */
export function useLinkNews(referenceId: string | null, again: () => void): void {
  const { payments, epoch } = useScreenContext().liveState;
  const paid = [...payments.values()].filter(
    ({ data: { status, linkReferenceId } }) =>
      status === 'success' &&
      linkReferenceId !== null &&
      (referenceId === null || linkReferenceId === referenceId),
  ).length;
  const known = useRef({ paid, epoch });
  useEffect(() => {
    const isNews = known.current.epoch === epoch && known.current.paid !== paid;
    known.current = { paid, epoch };
    if (!isNews) return undefined;
    const timers = askedAfterMs.map((ms) => window.setTimeout(again, ms));
    return () => timers.forEach((timer) => window.clearTimeout(timer));
  }, [paid, epoch, again]);
}
