/** One compared row: what the file says, what we have, and why they do not agree. */
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { paymentRoute } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import type { StatementItem } from '../../wire/types.ts';
import { ageText, reasonText, resultStates, signedText } from '../../words/statements.ts';
import { dayText } from '../../words/time.ts';
import { wordsOf } from '../../words/words.ts';
import { Fact, UserText, Tag } from '../../parts/marks.tsx';

export function StatementRow({ item }: { readonly item: StatementItem }) {
  const { to, now } = useScreenContext();
  const { line, result, reference, statementAmount, paymentAmount, paymentId, fee, date, ageDays } = item;
  const reason = reasonText(item);
  return (
    <li class="statement-row">
      <div class="statement-head">
        <Tag words={wordsOf(resultStates, result)} />
        <code class="reference">{reference === null ? 'no reference' : <UserText text={reference} />}</code>
        <span class="soft end">
          {line !== null && `Line ${line}`}
          {line !== null && date !== null && ' · '}
          {date !== null && dayText(Date.parse(date), now)}
          {ageDays !== null && ageDays > 0 && `, ${ageText(ageDays)}`}
        </span>
      </div>
      {reason !== '' && <p>{reason}</p>}
      <dl class="amounts">
        {line !== null && (
          <Fact name="In the file">
            {statementAmount === null ? 'not readable' : signedText(statementAmount)}
          </Fact>
        )}
        {paymentAmount !== null && <Fact name="Here">{signedText(paymentAmount)}</Fact>}
        {fee !== null && <Fact name="Fee">{displayNpr(fee)}</Fact>}
      </dl>
      {paymentId !== null && (
        <a href={to(paymentRoute.at({ id: paymentId }))}>Payment {paymentId.slice(4, 10)}</a>
      )}
    </li>
  );
}
