/** The texts of the buyers' pages: one table for each language, all of this type, so that a missing text does
 *  not compile. Amounts, references and the names of shops and providers are the same in every language. */
import type { Instant } from '../../../src/kernel/time.ts';
import type { Approval } from '../../../src/providers/traits.ts';
import type { LinkStatusCode, StatusCode } from '../../status/status-codes.ts';
import type { Html } from '../html.ts';

/** A heading or a first sentence, and what follows from it. */
export type Pair = readonly [what: string, then: string];

export interface BuyerTexts {
  readonly common: CommonTexts;
  readonly times: TimeTexts;
  readonly hosted: HostedTexts;
  readonly trouble: TroubleTexts;
  readonly status: StatusTexts;
  readonly link: LinkTexts;
  readonly invoice: InvoiceTexts;
  readonly thanks: ThanksTexts;
}

export interface CommonTexts {
  /** The name of the switch. */
  readonly language: string;
  readonly sandbox: { readonly name: string; readonly what: string };
  readonly paymentTo: string;
  readonly payWithin: (left: Html) => Html;
  /** `at`: a time of day in Nepal. */
  readonly until: (at: Html) => Html;
  readonly safety: string;
  readonly by: string;
  /** A provider that this project no longer has. */
  readonly provider: string;
  /** `shop`: its name where it is short enough. */
  readonly backTo: (shop: string | null) => Html;
  readonly cancelAndBackTo: (shop: string | null) => Html;
  readonly openPayment: string;
  readonly facts: {
    readonly amountPaid: string;
    readonly paidWith: string;
    readonly lastTriedWith: string;
    readonly paidOn: string;
    readonly reference: string;
  };
}

/** A plural form for each category of `Intl.PluralRules`; `{n}` is the number. */
export interface Counted {
  readonly one: string;
  readonly other: string;
}

export interface TimeTexts {
  /** `0` to `9`. */
  readonly digits: string;
  /** The time left to pay. The pages' script counts down with the same texts. */
  readonly left: {
    readonly soon: string;
    readonly minutes: Counted;
    readonly hours: Counted;
    /** Minutes after hours. */
    readonly rest: string;
  };
  /** The time of day in Nepal. */
  readonly clock: (at: Instant) => string;
  readonly day: (at: Instant) => string;
  readonly clockOn: (clock: string, day: string) => string;
  /** A day with its year. */
  readonly date: (at: Instant) => string;
  /** Day and time. */
  readonly moment: (at: Instant) => string;
}

export type AddressField = 'line1' | 'line2' | 'city' | 'state' | 'postalCode' | 'country';
export type LastEnd = 'declined' | 'insufficient_funds' | 'cancelled' | 'expired' | 'unreachable';
export type End = 'success' | 'failed' | 'cancelled' | 'expired';

/** The pages of a checkout session. `label` is a provider's name. */
export interface HostedTexts {
  readonly chooser: {
    readonly title: string;
    readonly titleAgain: string;
    readonly heading: string;
    readonly headingWithAddress: string;
    readonly payWith: (label: string) => string;
    readonly continueTo: (label: string) => string;
    readonly tryAgainWith: (label: string) => string;
    readonly thereAndBack: string;
    readonly noWay: Pair;
    /** In the redirect flow. */
    readonly noWayTitle: string;
    readonly notAvailable: (label: string) => Pair;
    readonly ends: { readonly [end in LastEnd]: (label: string) => Pair };
    readonly triesLeft: Counted;
  };
  readonly ways: {
    readonly down: string;
    readonly degraded: string;
    readonly hints: { readonly [approval in Approval]: string };
  };
  readonly address: {
    readonly legend: string;
    readonly optional: string;
    readonly incomplete: Pair;
    readonly fields: { readonly [name in AddressField]: string };
  };
  readonly waiting: {
    readonly opening: (label: string) => string;
    readonly aFewSeconds: string;
    readonly finish: (label: string) => string;
    readonly approveThere: (label: string) => string;
    readonly checking: string;
    readonly confirming: (label: string) => string;
    readonly doNotPayAgain: string;
    readonly waitingFor: (label: string) => string;
    readonly noAnswerYet: string;
    readonly ifPaid: string;
    readonly ifPaidThen: string;
    readonly notPaidTryAgain: string;
    readonly otherWays: string;
    /** Other ways to pay, folded away while a wallet may still be paying. */
    readonly fold: { readonly summary: string; readonly warning: (label: string) => Pair };
    readonly triesUsedUp: (triesMax: string) => Pair;
  };
  readonly review: {
    readonly title: string;
    readonly what: (label: string) => string;
    readonly nothingPaid: string;
    readonly next: string;
    readonly steps: readonly string[];
    readonly copy: string;
    readonly copied: string;
    readonly seeStatus: string;
  };
  readonly scan: {
    readonly heading: (label: string) => string;
    readonly how: string;
    readonly onThisPhone: string;
    readonly save: string;
    readonly code: string;
    readonly simulatedApp: string;
    readonly scanned: string;
    readonly confirm: string;
    readonly again: string;
  };
  /** A payment in the wallet's app. */
  readonly app: {
    readonly opening: (label: string) => string;
    /** `time`: until the web page follows. */
    readonly elseWeb: (time: string) => string;
    readonly seconds: Counted;
    readonly heading: (label: string) => string;
    readonly approve: string;
    readonly openNow: (label: string) => string;
    readonly openAgain: string;
    readonly scanHeading: (label: string) => string;
    readonly scan: (label: string) => string;
    readonly code: (label: string) => string;
    readonly noApp: string;
    readonly onWeb: string;
    readonly simulatedApp: string;
  };
  readonly ended: {
    readonly titles: { readonly [end in End]: string };
    readonly texts: { readonly [end in Exclude<End, 'success'>]: string };
    readonly success: (shop: string) => Html;
    readonly doNotPayAgain: string;
    /** After that, where a payment was opened at a provider. */
    readonly weKeepAsking: string;
    /** After that, where none was. */
    readonly giveReference: string;
    readonly print: string;
    /** The page goes back to the shop by itself. `time`: the seconds left. */
    readonly returning: (shop: string | null, time: Html | string) => Html;
    readonly seconds: Counted;
    readonly stay: string;
    readonly stays: string;
  };
}

/** The page of a payment link, and its public status. */
export interface LinkTexts {
  readonly proceed: string;
  /** `at`: a time of day in Nepal. */
  readonly until: (at: Html) => Html;
  readonly amount: {
    readonly heading: string;
    readonly label: string;
    readonly between: (least: string, most: string) => string;
    readonly problems: {
      readonly missing: Pair;
      readonly unreadable: Pair;
      readonly outside: (least: string, most: string) => Pair;
    };
  };
  readonly closed: { readonly [why in 'inactive' | 'expired' | 'completed' | 'reserved']: Pair };
  readonly lookAgain: string;
  readonly unknown: Pair;
  /** After a payment by the link that was not completed. */
  readonly openLink: string;
  readonly publicStatuses: { readonly [code in LinkStatusCode]: Pair };
}

/** The page of an invoice, and what the pages of its session say of it. */
export interface InvoiceTexts {
  /** `number`: `INV-000001`. */
  readonly heading: (number: string) => string;
  readonly byHand: string;
  readonly pay: string;
  readonly overdue: (since: string) => Pair;
  readonly paid: Pair;
  /** Without a payment by us: the shop has marked it. */
  readonly paidByHand: string;
  readonly voided: Pair;
  readonly noWay: Pair;
  readonly facts: {
    readonly number: string;
    readonly customer: string;
    readonly period: string;
    /** The period that it pays for, where that was moved. */
    readonly appliesTo: string;
    readonly due: string;
    readonly paidOn: string;
    readonly payment: string;
  };
  /** From the first day to the last. */
  readonly days: (first: string, last: string) => string;
  readonly unknown: Pair;
  /** On the pages of its session. */
  readonly cancel: string;
  readonly ended: { readonly [end in Exclude<End, 'success'>]: string };
  /** Its money has come, but the invoice was settled before. */
  readonly duplicate: string;
}

/** Error pages. */
export interface TroubleTexts {
  readonly unknown: Pair;
  readonly suspended: {
    readonly title: string;
    readonly what: (shop: string) => Html;
    readonly next: string;
  };
  readonly strangeForm: string;
  readonly wrongChoice: string;
  readonly unchanged: string;
  readonly oldCode: Pair;
  readonly tooMany: string;
  readonly tooManyThen: Counted;
  readonly busy: string;
  readonly busyHere: string;
  readonly busyAnywhere: string;
  readonly notFound: Pair;
  readonly wrongWay: string;
  readonly wrongWayAnywhere: string;
}

/** The public status. */
export interface StatusTexts {
  readonly title: string;
  readonly purpose: string;
  readonly field: string;
  readonly show: string;
  readonly another: string;
  readonly problems: {
    readonly too_short: Pair;
    readonly too_long: Pair;
    readonly not_found: Pair;
    readonly ambiguous: Pair;
  };
  readonly publicStatuses: { readonly [code in StatusCode]: Pair };
  readonly asOf: (clock: string) => string;
  readonly looksAgain: (seconds: string) => string;
  readonly facts: {
    readonly provider: string;
    readonly lastChange: string;
    readonly orderNumber: string;
    readonly shopReference: string;
    readonly linkReference: string;
    readonly paymentId: string;
    /** `label` null: the provider is not known. */
    readonly providerReference: (label: string | null) => string;
    readonly shop: string;
    readonly verified: string;
  };
}

/** The sandbox's thank-you page. */
export interface ThanksTexts {
  readonly ends: { readonly [end in 'open' | 'review' | End]: Pair };
  readonly notRight: string;
  /** `claimed` and `status` are words of the API. */
  readonly believe: (claimed: string, status: string) => string;
  readonly facts: {
    readonly addressSays: string;
    readonly nothing: string;
    readonly sessionSays: string;
    readonly session: string;
    readonly payment: string;
  };
  readonly standsIn: string;
  readonly another: string;
  readonly next: string;
  readonly dashboard: Pair;
  readonly webhook: Pair;
  readonly start: Pair;
  readonly inTerminal: string;
  readonly withKey: string;
  readonly nobody: { readonly title: string; readonly what: string; readonly toStart: string };
}
