/** Rules for single values that JSON Schema cannot express; a schema refers to one with `means`. */
import { metadataKeysMax } from '../../../actors/checkout-session/order.ts';
import { urlIn, urlProblem } from '../../../src/outbound/ssrf-guard.ts';
import type { FieldCode } from '../../../src/errors.ts';
import { isLoopback } from '../../../src/kernel/loopback.ts';
import { nearest } from '../../../src/kernel/nearest.ts';
import { searchedWords, searchWordsMax } from '../../../src/kernel/search-words.ts';
import { beginning } from '../../../src/kernel/text.ts';
import { eventKinds, isEventKind } from '../../../actors/events.ts';
import type { Mode } from '../../../src/runtime/model/address.ts';

/** Context that a check may need beside the value. */
export interface FieldContext {
  readonly mode: Mode;
  /** Sandbox webhooks may name private addresses. */
  readonly allowPrivateHosts: boolean;
}

/** `at` extends the field's path; `form` completes the message. */
export interface MeaningError {
  readonly at?: string;
  readonly code: FieldCode;
  readonly form?: string;
}

/** Context of the request whose fields are checked, one after the other. */
export interface MeaningContext extends FieldContext {
  /** How many more unknown texts may be compared with known ones. */
  suggestionsLeft: number;
}

type Check = (value: unknown, context: MeaningContext) => readonly MeaningError[];

/** An integer in paisa: a non-integer has its own error code. */
const amount: Check = () => [];
/** An enum whose code is `currency_not_supported`. */
const currency: Check = () => [];

const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== '';
const credentialsRefused: MeaningError = {
  code: 'url_not_allowed',
  form: 'it must not hold a user or a password',
};

/** An address that a buyer's browser is sent to: http or https; in live mode https only. */
const shopUrl: Check = (value, { mode }) => {
  if (typeof value !== 'string') return [];
  const url = urlIn(value);
  if (url === null) return [{ code: 'invalid_format', form: 'an http or https URL' }];
  if (hasCredentials(url)) return [credentialsRefused];
  const { protocol } = url;
  if (protocol === 'https:' || (protocol === 'http:' && mode === 'sandbox')) return [];
  return [
    {
      code: 'url_not_allowed',
      form: mode === 'live' ? 'in live it must be https' : 'it must be http or https',
    },
  ];
};

/** The address of a merchant's site, the same in both modes: https, and http only on this machine. */
const siteUrl: Check = (value) => {
  if (typeof value !== 'string') return [];
  const url = urlIn(value);
  if (url === null) return [{ code: 'invalid_format', form: 'an https URL' }];
  if (hasCredentials(url)) return [credentialsRefused];
  const { protocol, hostname } = url;
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return [];
  return [{ code: 'url_not_allowed', form: 'it must be https' }];
};

/** An address that webhooks are sent to. */
const webhookUrl: Check = (value, { mode, allowPrivateHosts }) => {
  if (typeof value !== 'string') return [];
  const problem = urlProblem(value, { live: mode === 'live', allowPrivate: allowPrivateHosts });
  return problem === null ? [] : [problem];
};

/** Typing errors in an event type for which it is still recognised. */
const lettersWrongMax = 5;

function unknownKind(kind: string, context: MeaningContext): MeaningError {
  const meant = context.suggestionsLeft-- > 0 ? nearest(kind, eventKinds, lettersWrongMax) : null;
  return { code: 'unknown_event_type', form: meant === null ? '' : ` Did you mean ${meant}?` };
}

const eventType: Check = (value, context) =>
  typeof value !== 'string' || value === '*' || isEventKind(value) ? [] : [unknownKind(value, context)];

/** A comma-separated list of event types, as a filter. */
const eventTypes: Check = (value, context) => {
  const wrong = typeof value === 'string' ? value.split(',').find((kind) => !isEventKind(kind)) : undefined;
  return wrong === undefined ? [] : [unknownKind(wrong, context)];
};

const metadataKeyCharactersMax = 40;
/** Characters shown of a key that is too long. */
const metadataKeyCharactersShown = 20;
const metadataValueCharactersMax = 500;
const metadataDepthMax = 3;
/** Names and values, at any depth. */
const metadataItemsMax = 1_000;
/** Reserved for the service. */
const reservedKeys: ReadonlySet<string> = new Set(['wallet_a_intent']);

/** The limits of `metadata` in docs/reference/api/checkout.md. */
const metadata: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const all: MeaningError[] = [];
  if (entries.length > metadataKeysMax)
    all.push({ code: 'metadata_too_many_keys', form: `${metadataKeysMax} keys` });
  else if (itemsIn(value) > metadataItemsMax)
    return [
      {
        code: 'metadata_too_many_keys',
        form: `${metadataItemsMax.toLocaleString('en')} names and values`,
      },
    ];
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

/** A key may hold anything and be of any length: of one too long, the path shows only the beginning. */
const shownKey = (key: string): string =>
  isLonger(key, metadataKeyCharactersMax) ? `${beginning(key, metadataKeyCharactersShown)}...` : key;

/** Counts characters as people do: an emoji is one. Reads no more of the text than the bound requires. */
const isLonger = (text: string, charactersMax: number): boolean =>
  text.length > charactersMax && (text.length > 2 * charactersMax || Array.from(text).length > charactersMax);

/** 0 for a scalar, 1 for a flat list or object. The depth of the whole body has been bounded before. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((deepest: number, each) => Math.max(deepest, depthOf(each)), 0)
    : 0;

/** Names and values in an object or a list; their number in the whole body has been bounded before. */
function itemsIn(value: object): number {
  const each = Object.values(value);
  const within = each.reduce(
    (sum: number, one) => (typeof one === 'object' && one !== null ? sum + itemsIn(one as object) : sum),
    0,
  );
  return (Array.isArray(value) ? each.length : 2 * each.length) + within;
}

/** An object that is stored as it was sent: no number in it has been changed by parsing. */
const exact: Check = (value) =>
  holdsLossyNumber(value)
    ? [
        {
          code: 'wrong_type',
          form: 'without numbers this large, which are not kept exactly: send them as text',
        },
      ]
    : [];

/** A number beyond the range in which a double holds every integer has already been changed by parsing. */
function holdsLossyNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLossyNumber);
}

/** The words of a search. */
const search: Check = (value) =>
  typeof value === 'string' && searchedWords(value).length > searchWordsMax
    ? [{ code: 'too_long', form: `${searchWordsMax} words` }]
    : [];

export const meanings = {
  amount,
  currency,
  shopUrl,
  siteUrl,
  webhookUrl,
  eventType,
  eventTypes,
  metadata,
  search,
  exact,
} satisfies {
  readonly [name: string]: Check;
};

export type Meaning = keyof typeof meanings;
