/** What an action will do, before it does it. */
import { unbroken } from '../words/money.ts';
import type { Effects as Sentences } from '../words/billing-effects.ts';

export const Effects = ({
  effects,
  title = 'What this does',
}: {
  readonly effects: Sentences;
  readonly title?: string;
}) => (
  <>
    <h3>{title}</h3>
    <ul class="effects">
      {effects.map((effect) => (
        <li key={effect}>{unbroken(effect)}</li>
      ))}
    </ul>
  </>
);
