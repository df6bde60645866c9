/** One refund in a list; one that requires action can be settled here. */
import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { displayNpr } from '../../../../src/kernel/money.ts';
import { notesCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../context.ts';
import { optionalText, readForm } from '../wire/form-reading.ts';
import type { Refund } from '../wire/types.ts';
import { refundReasonWord, refundStates, wordsOf } from '../words/words.ts';
import { Id } from './copy.tsx';
import { Amount, Glyph, UserText, Tag } from './marks.tsx';
import { RequestForm } from './request-form.tsx';
import { Ago } from './when.tsx';

export interface RefundItemProps {
  readonly refund: Refund;
  /** It was settled here. */
  readonly onSettled: () => void;
  /** Its payment, where the list does not show it. */
  readonly children?: ComponentChildren;
}

export function RefundItem({ refund, onSettled, children }: RefundItemProps) {
  const { now } = useScreenContext();
  const { status, failureReason, providerRefundId, notes } = refund;
  return (
    <li class="refund" id={refund.id}>
      <div class="refund-line">
        <Tag words={wordsOf(refundStates, status)} />
        <span class="refund-amount">
          <Amount paisa={refund.amount} />
        </span>
        <span class="soft end">
          <Ago at={refund.createdAt} now={now} />
        </span>
      </div>
      <p class="soft">
        {refundReasonWord(refund.reason)}
        {children !== undefined && <> · {children}</>}
      </p>
      {failureReason !== null && <p class="why">{failureReason}</p>}
      {notes !== null && (
        <p class="soft notes">
          <UserText text={notes} />
        </p>
      )}
      {providerRefundId !== null && <Id id={providerRefundId} what="provider’s refund id" />}
      {status === 'requires_action' && <Settle refund={refund} onSettled={onSettled} />}
    </li>
  );
}

const ways = {
  complete: {
    word: 'Mark as paid out',
    ask: 'The buyer has this money back: you refunded it in the provider’s portal.',
    announced: 'was marked as paid out',
  },
  cancel: {
    word: 'Cancel refund',
    ask: 'Nothing went back to the buyer. The amount can be refunded again.',
    announced: 'was cancelled',
  },
} as const;
type Way = keyof typeof ways;

function Settle({ refund, onSettled }: Pick<RefundItemProps, 'refund' | 'onSettled'>) {
  const { api, place, announce } = useScreenContext();
  const [way, setWay] = useState<Way | null>(null);
  if (way === null) {
    return (
      <div class="buttons">
        {(['complete', 'cancel'] as const).map((each) => (
          <button key={each} type="button" class="step" onClick={() => setWay(each)}>
            <Glyph name={each === 'complete' ? 'check' : 'cross'} />
            {ways[each].word}
          </button>
        ))}
      </div>
    );
  }
  return (
    <RequestForm
      name={ways[way].word}
      word={ways[way].word}
      fields={[
        () => <p>{ways[way].ask}</p>,
        { name: 'notes', label: 'Notes', rows: 2, maxLength: notesCharactersMax },
      ]}
      read={(text) =>
        readForm({ notes: optionalText(text('notes'), notesCharactersMax) }, (values) => values)
      }
      send={({ notes }) =>
        api.call(`POST /v1/refunds/{id}/${way}`, place, { id: refund.id, body: { notes } })
      }
      onDone={() => {
        announce(`The refund of ${displayNpr(refund.amount)} ${ways[way].announced}.`);
        setWay(null);
        onSettled();
      }}
      onBack={() => setWay(null)}
    />
  );
}
