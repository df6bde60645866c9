/** A signed receipt of a paid payment, made when it is asked for. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import type { Failure } from '../../wire/failure.ts';
import type { Receipt } from '../../wire/types.ts';
import { Code } from '../../parts/copy.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { Failed } from '../../parts/notices.tsx';

export function ReceiptCard({ paymentId }: { readonly paymentId: string }) {
  const { api, place, announce } = useScreenContext();
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const make = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    const result = await api.call('GET /v1/payments/{id}/receipt', place, { id: paymentId });
    setBusy(false);
    setFailure(result.ok ? null : result.failure);
    if (!result.ok) return;
    setReceipt(result.value);
    announce('The receipt was made.');
  };
  return (
    <section class="slip lone act" aria-labelledby="receipt">
      <h2 id="receipt">Receipt</h2>
      <p class="soft left">Signed by us: anybody can verify it offline with the key of the service.</p>
      {failure !== null && <Failed failure={failure} again={() => void make()} />}
      {receipt === null ? (
        <button type="button" class="button second fit" aria-busy={isBusy} onClick={() => void make()}>
          <Glyph name="note" />
          {isBusy ? 'Making it' : 'Make a receipt'}
        </button>
      ) : (
        <div class="wrapped">
          <Code text={receipt.receipt} what="Signed receipt" />
          <p class="soft">
            Key {receipt.keyId}, in <a href="/v1/public/keys">the list of keys</a>.
          </p>
        </div>
      )}
    </section>
  );
}
