/** Rules of single values that JSON Schema has no word for; a schema names one with `means`. */
import { urlIn, urlProblem } from '../../../src/outbound/ssrf-guard.ts';
import type { FieldCode } from '../../../src/errors.ts';
import { nearest } from '../../../src/kernel/nearest.ts';
import { beginning } from '../../../src/kernel/text.ts';
import { eventKinds } from '../../../actors/events.ts';
import type { Mode } from '../../../src/runtime/model/address.ts';

/** What a check may have to know beside the value. */
export interface FieldContext {
  readonly mode: Mode;
  /** Sandbox webhooks may name private addresses. */
  readonly allowPrivateHosts: boolean;
}

/** `at` continues the field's path; `form` completes the message. */
export interface MeaningError {
  readonly at?: string;
  readonly code: FieldCode;
  readonly form?: string;
}

/** What is known of the request whose fields are checked, one after the other. */
export interface MeaningContext extends FieldContext {
  /** How many more texts may be compared with what they may have meant. */
  suggestionsLeft: number;
}

type Check = (value: unknown, context: MeaningContext) => readonly MeaningError[];

/** An integer in paisa: what is no integer has a code of its own. */
const amount: Check = () => [];
/** An enum whose code is `currency_not_supported`. */
const currency: Check = () => [];

/** Where a buyer's browser is sent: http or https, in live https alone. */
const shopUrl: Check = (value, { mode }) => {
  if (typeof value !== 'string') return [];
  const url = urlIn(value);
  if (url === null) return [{ code: 'invalid_format', form: 'an http or https URL' }];
  const { protocol } = url;
  if (protocol === 'https:' || (protocol === 'http:' && mode === 'sandbox')) return [];
  return [
    {
      code: 'url_not_allowed',
      form: mode === 'live' ? 'in live it must be https' : 'it must be http or https',
    },
  ];
};

/** Where webhooks are sent (where we connect). */
const webhookUrl: Check = (value, { mode, allowPrivateHosts }) => {
  if (typeof value !== 'string') return [];
  const problem = urlProblem(value, { live: mode === 'live', allowPrivate: allowPrivateHosts });
  return problem === null ? [] : [problem];
};

/** In the name of a kind that is still taken for one of ours. */
const lettersWrongMax = 5;

function unknownKind(kind: string, context: MeaningContext): MeaningError {
  const meant = context.suggestionsLeft-- > 0 ? nearest(kind, eventKinds, lettersWrongMax) : null;
  return { code: 'unknown_event_type', form: meant === null ? '' : ` Did you mean ${meant}?` };
}

const eventType: Check = (value, context) =>
  typeof value !== 'string' || value === '*' || eventKinds.has(value) ? [] : [unknownKind(value, context)];

/** A comma list of kinds, as a filter. */
const eventTypes: Check = (value, context) => {
  const wrong =
    typeof value === 'string' ? value.split(',').find((kind) => !eventKinds.has(kind)) : undefined;
  return wrong === undefined ? [] : [unknownKind(wrong, context)];
};

export const metadataKeysMax = 50;
export const metadataKeyCharactersMax = 40;
/** Of a key that is too long. */
const metadataKeyCharactersShown = 20;
export const metadataValueCharactersMax = 500;
export const metadataDepthMax = 3;
/** Ours alone. */
const reservedKeys: ReadonlySet<string> = new Set(['wallet_a_intent']);

/** Decisions 1.11. */
const metadata: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const all: MeaningError[] = [];
  if (entries.length > metadataKeysMax)
    all.push({ code: 'metadata_too_many_keys', form: String(metadataKeysMax) });
  for (const [key, each] of entries.slice(0, metadataKeysMax)) {
    const problem = entryProblem(key, each);
    if (problem !== null) all.push(problem);
  }
  return all;
};

function entryProblem(key: string, value: unknown): MeaningError | null {
  const at = `.${shownKey(key)}`;
  if (reservedKeys.has(key)) return { at, code: 'metadata_key_reserved' };
  if (isLonger(key, metadataKeyCharactersMax)) {
    return { at, code: 'metadata_key_too_long', form: String(metadataKeyCharactersMax) };
  }
  if (depthOf(value) + 1 > metadataDepthMax) {
    return { at, code: 'metadata_too_deep', form: String(metadataDepthMax) };
  }
  if (holdsLossyNumber(value))
    return { at, code: 'wrong_type', form: 'text: a number this large is not kept exactly' };
  return isLonger(JSON.stringify(value), metadataValueCharactersMax)
    ? { at, code: 'metadata_value_too_long', form: String(metadataValueCharactersMax) }
    : null;
}

/** A key may hold anything and be of any length: of one too long a path shows the beginning. */
const shownKey = (key: string): string =>
  isLonger(key, metadataKeyCharactersMax) ? `${beginning(key, metadataKeyCharactersShown)}...` : key;

/** Characters as people count them: an emoji is one. Never more of the text is looked at than the bound allows. */
const isLonger = (text: string, charactersMax: number): boolean =>
  text.length > charactersMax && (text.length > 2 * charactersMax || Array.from(text).length > charactersMax);

/** 0 for a scalar, 1 for a flat list or object. The whole body's depth is bounded before. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((deepest: number, each) => Math.max(deepest, depthOf(each)), 0)
    : 0;

/** A number too large for a double to hold every integer is another one by the time we read it. */
function holdsLossyNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLossyNumber);
}

export const meanings = { amount, currency, shopUrl, webhookUrl, eventType, eventTypes, metadata } satisfies {
  readonly [name: string]: Check;
};

export type Meaning = keyof typeof meanings;
