/** The form of a new payment link: from the texts that were typed to the request, or to what is wrong with each
 *  field. Pure. */
import { amountPaisaMax, amountPaisaMin, displayNpr } from '../../../../src/kernel/money.ts';
import { nameCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import { paisaFrom } from '../words/rupees.ts';
import { nepalInstant } from '../words/time.ts';
import type { LinkRequest } from './link-api.ts';

/** Bounds of docs/reference/api/payment-links.md. */
const usesMax = 100_000;

/** As typed. */
export interface LinkTexts {
  readonly name: string;
  readonly isFixed: boolean;
  /** In rupees, as the two bounds; only with a fixed amount. */
  readonly amount: string;
  readonly minAmount: string;
  readonly maxAmount: string;
  readonly maxUses: string;
  /** In Nepal. */
  readonly expiresAt: string;
  readonly description: string;
  readonly returnUrl: string;
  readonly collectAddress: boolean;
}

export type LinkField = Exclude<keyof LinkTexts, 'isFixed' | 'collectAddress'>;
export type LinkErrors = { readonly [Field in LinkField]?: string };

export type ReadLink =
  | { readonly request: LinkRequest; readonly errors: null }
  | { readonly request: null; readonly errors: LinkErrors };

/** `now`: on the project's clock. */
export function linkRequestFrom(texts: LinkTexts, now: number): ReadLink {
  const name = texts.name.trim();
  const [uses, end] = [usesFrom(texts.maxUses), endFrom(texts.expiresAt, now)];
  const amounts = texts.isFixed ? fixedAmount(texts) : bounds(texts);
  const found: { [Field in LinkField]?: string | null } = {
    name:
      name === ''
        ? 'Write what is sold.'
        : name.length > nameCharactersMax
          ? `At most ${nameCharactersMax} characters.`
          : null,
    ...amounts.errors,
    maxUses: uses.error,
    expiresAt: end.error,
    returnUrl: urlError(texts.returnUrl.trim()),
  };
  const errors = Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  if (Object.keys(errors).length > 0) return { request: null, errors };
  const text = (typed: string): string | null => (typed.trim() === '' ? null : typed.trim());
  const description = text(texts.description);
  return {
    errors: null,
    request: {
      name,
      ...amounts.request,
      maxUses: uses.value,
      expiresAt: end.value,
      ...(description === null ? {} : { description }),
      returnUrl: text(texts.returnUrl),
      collectAddress: texts.collectAddress,
    },
  };
}

type AmountRequest = Pick<LinkRequest, 'amount' | 'minAmount' | 'maxAmount'>;
interface Amounts {
  readonly request: AmountRequest;
  readonly errors: LinkErrors;
}

function fixedAmount({ amount: typed }: LinkTexts): Amounts {
  const amount = paisaFrom(typed);
  const error = amountError(amount);
  return { request: { amount }, errors: error === null ? {} : { amount: error } };
}

/** An empty bound is the one of every payment. */
function bounds(texts: LinkTexts): Amounts {
  const given = (['minAmount', 'maxAmount'] as const).filter((field) => texts[field].trim() !== '');
  const paisa = { minAmount: paisaFrom(texts.minAmount), maxAmount: paisaFrom(texts.maxAmount) };
  const wrong = given.flatMap((field) => {
    const error = amountError(paisa[field]);
    return error === null ? [] : [[field, error] as const];
  });
  const { minAmount, maxAmount } = paisa;
  if (wrong.length === 0 && minAmount !== null && maxAmount !== null && minAmount > maxAmount)
    wrong.push(['maxAmount', 'Write the least amount or more.']);
  return {
    request: { amount: null, ...Object.fromEntries(given.map((field) => [field, paisa[field]])) },
    errors: Object.fromEntries(wrong),
  };
}

function amountError(paisa: number | null): string | null {
  if (paisa === null) return 'Write an amount like 250 or 250.50.';
  if (paisa < amountPaisaMin) return `At least ${displayNpr(amountPaisaMin)}.`;
  return paisa > amountPaisaMax ? `At most ${displayNpr(amountPaisaMax)}.` : null;
}

interface Read<Value> {
  readonly value: Value | null;
  readonly error: string | null;
}

/** Empty: no limit. */
export function usesFrom(typed: string): Read<number> {
  const text = typed.replace(/[,\s]/g, '');
  if (text === '') return { value: null, error: null };
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= usesMax
    ? { value, error: null }
    : {
        value: null,
        error: `Write a whole number from 1 to ${usesMax.toLocaleString('en-US')}, or nothing.`,
      };
}

/** Empty: without end. */
export function endFrom(typed: string, now: number): Read<string> {
  if (typed === '') return { value: null, error: null };
  const at = nepalInstant(typed);
  if (at === null) return { value: null, error: 'Write a day and a time, or nothing.' };
  return at > now
    ? { value: new Date(at).toISOString(), error: null }
    : { value: null, error: 'Write a time that is still to come.' };
}

const urlError = (text: string): string | null =>
  text === '' || /^https?:\/\/[^\s]+$/i.test(text)
    ? null
    : 'Write a whole address, like https://shop.example/thanks.';
