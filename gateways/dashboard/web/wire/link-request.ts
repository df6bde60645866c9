/** The form of a new payment link: from the texts that were typed to the request, or to what is wrong with each
 *  field. Pure. */
import {
  descriptionCharactersMax,
  nameCharactersMax,
  urlCharactersMax,
} from '../../../../src/kernel/text-bounds.ts';
import { amountFrom, momentFrom } from './billing-forms.ts';
import {
  good,
  optionalText,
  readForm,
  requiredText,
  wholeOrNothing,
  wrong,
  type ReadField,
  type ReadForm,
  type TextOf,
} from './form-reading.ts';
import type { LinkChange, LinkRequest } from './types.ts';

/** Bounds of docs/reference/api/payment-links.md. */
const usesMax = 100_000;

/** The amount is entered by the buyer, between bounds. `kind`: the field that says so. */
export const isOpenAmount = (text: TextOf): boolean => text('kind') === 'open';

/** Amounts are typed in rupees, the end in Nepal time. `now`: on the project's clock. */
export function linkRequestFrom(text: TextOf, now: number): ReadForm<LinkRequest> {
  return readForm(
    {
      name: requiredText(text('name'), nameCharactersMax, 'Write what is sold.'),
      ...(isOpenAmount(text) ? boundsFrom(text) : fixedFrom(text)),
      maxUses: usesFrom(text('maxUses')),
      expiresAt: endFrom(text('expiresAt'), now),
      description: optionalText(text('description'), descriptionCharactersMax),
      returnUrl: urlFrom(text('returnUrl')),
      collectAddress: good(text('collectAddress') === 'on'),
    },
    ({ minAmount, maxAmount, description, ...rest }) => ({
      ...rest,
      ...(minAmount === null ? {} : { minAmount }),
      ...(maxAmount === null ? {} : { maxAmount }),
      ...(description === null ? {} : { description }),
    }),
  );
}

interface Amounts {
  readonly amount: ReadField<number | null>;
  readonly minAmount: ReadField<number | null>;
  readonly maxAmount: ReadField<number | null>;
}

const fixedFrom = (text: TextOf): Amounts => ({
  amount: amountFrom(text('amount')),
  minAmount: good(null),
  maxAmount: good(null),
});

/** An empty bound is the one of every payment. */
function boundsFrom(text: TextOf): Amounts {
  const [minAmount, maxAmount] = (['minAmount', 'maxAmount'] as const).map((name) =>
    text(name).trim() === '' ? good(null) : amountFrom(text(name)),
  ) as [ReadField<number | null>, ReadField<number | null>];
  const isTurned =
    typeof minAmount.value === 'number' &&
    typeof maxAmount.value === 'number' &&
    minAmount.value > maxAmount.value;
  return {
    amount: good(null),
    minAmount,
    maxAmount: isTurned ? wrong('Write the least amount or more.') : maxAmount,
  };
}

/** The limits of a link that exists. An end that was not touched is not sent: it may be over, or have seconds. */
export const limitsFrom = (text: TextOf, endBefore: string, now: number): ReadForm<LinkChange> =>
  readForm(
    {
      maxUses: usesFrom(text('maxUses')),
      expiresAt: text('expiresAt') === endBefore ? good(null) : endFrom(text('expiresAt'), now),
    },
    ({ maxUses, expiresAt }) => ({
      maxUses,
      ...(text('expiresAt') === endBefore ? {} : { expiresAt }),
    }),
  );

/** null: no limit. */
export const usesFrom = (typed: string): ReadField<number | null> => wholeOrNothing(typed, 1, usesMax);

/** null: without end. */
export function endFrom(typed: string, now: number): ReadField<string | null> {
  const read = momentFrom(typed, now, 'Write a time that is still to come.');
  return read.error === null && read.value !== null
    ? good(new Date(read.value).toISOString())
    : read.error === null
      ? good(null)
      : read;
}

function urlFrom(typed: string): ReadField<string | null> {
  const read = optionalText(typed, urlCharactersMax);
  if (read.error !== null || read.value === null || /^https?:\/\/[^\s]+$/i.test(read.value)) return read;
  return wrong('Write a whole address, like https://shop.example/thanks.');
}
