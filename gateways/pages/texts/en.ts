/** The texts of the buyers' pages in English. */
import type { Instant } from '../../../src/kernel/time.ts';
import { linkStatusCodes, publicStatuses, type StatusCode } from '../../status/status-codes.ts';
import { html } from '../html.ts';
import { enInvoice } from './en-invoice.ts';
import { inKathmandu } from './kathmandu-time.ts';
import { userText } from './user-text.ts';
import type {
  BuyerTexts,
  CommonTexts,
  HostedTexts,
  LinkTexts,
  Pair,
  ThanksTexts,
  TroubleTexts,
} from './texts.ts';

const format = (shown: Intl.DateTimeFormatOptions): ((at: Instant) => string) => inKathmandu('en-GB', shown);
const clock = format({ hour: 'numeric', minute: '2-digit', hourCycle: 'h12' });
const date = format({ day: 'numeric', month: 'short', year: 'numeric' });

/** As the API has them. */
const statusText = (code: StatusCode): Pair => [publicStatuses[code].label, publicStatuses[code].summary];

const common: CommonTexts = {
  language: 'Language',
  sandbox: { name: 'Sandbox:', what: 'no real money moves' },
  paymentTo: 'Payment to',
  payWithin: (left) => html`Pay within ${left}`,
  until: (at) => html`until ${at}, Nepal time`,
  safety: 'You approve every payment at your provider. This page never asks for a PIN, a password or an OTP.',
  by: 'Payments by Galla',
  provider: 'the provider',
  backTo: (shop) => (shop === null ? html`Go back to the shop` : html`Go back to ${userText(shop)}`),
  cancelAndBackTo: (shop) =>
    shop === null ? html`Cancel and go back to the shop` : html`Cancel and go back to ${userText(shop)}`,
  openPayment: 'Open the payment page',
  facts: {
    amountPaid: 'Amount paid',
    paidWith: 'Paid with',
    lastTriedWith: 'Last tried with',
    paidOn: 'Paid on',
    reference: 'Reference',
  },
};

const hosted: HostedTexts = {
  chooser: {
    title: 'Choose how to pay',
    titleAgain: 'Payment not completed, try again',
    heading: 'How would you like to pay?',
    headingWithAddress: 'Address and payment',
    payWith: (label) => `Pay with ${label}`,
    continueTo: (label) => `Continue to ${label}`,
    tryAgainWith: (label) => `Try again with ${label}`,
    thereAndBack: 'You log in there, approve the payment, and come straight back.',
    noWay: [
      'No way to pay right now',
      'The shop has no payment provider switched on. Please ask the shop, or try again later.',
    ],
    noWayTitle: 'Payment not possible right now',
    notAvailable: (label) => [
      `${label} is not available right now`,
      'Please try again in a few minutes. Nothing has been paid.',
    ],
    ends: {
      declined: (label) => [`${label} declined the payment.`, 'Nothing was paid. You can try again.'],
      insufficient_funds: (label) => [`There was not enough money at ${label}.`, 'Nothing was paid.'],
      cancelled: (label) => [
        `The payment at ${label} was cancelled.`,
        'Nothing was paid. You can try again.',
      ],
      expired: (label) => [
        `The time to pay at ${label} ran out.`,
        'If money did leave your account, do not pay again: wait a few minutes.',
      ],
      unreachable: (label) => [`${label} could not be reached.`, 'Nothing was paid. Please try again.'],
    },
    triesLeft: { one: 'One try is left.', other: '{n} tries are left.' },
  },
  ways: {
    down: 'Not available right now',
    degraded: 'Having trouble: many payments fail',
    hints: {
      wallet: 'Approve in your wallet',
      bank: 'Pay from your bank account',
      code: 'Scan with your banking app',
    },
  },
  address: {
    legend: 'Where should it be sent?',
    optional: '(optional)',
    incomplete: ['The address is not complete.', 'Street and city are needed.'],
    fields: {
      line1: 'Street and house',
      line2: 'Area or landmark',
      city: 'City',
      postalCode: 'Postal code',
      state: 'Province',
      country: 'Country',
    },
  },
  waiting: {
    opening: (label) => `Opening ${label}`,
    aFewSeconds: 'This takes a few seconds.',
    finish: (label) => `Finish paying with ${label}`,
    approveThere: (label) =>
      `Approve the payment there. Once ${label} confirms it, this page moves on by itself.`,
    checking: 'Checking your payment',
    confirming: (label) => `${label} is confirming it. This takes a few seconds.`,
    doNotPayAgain: 'Please do not pay again.',
    waitingFor: (label) => `Waiting for ${label}`,
    noAnswerYet: 'There is no answer yet. We keep asking.',
    ifPaid: 'If you have paid, just wait.',
    ifPaidThen: 'You need not pay again. The shop receives the result even if you close this page.',
    notPaidTryAgain: 'Not paid? Try again',
    otherWays: 'Or pay another way',
    fold: {
      summary: 'Pay another way',
      warning: (label) => [
        'Do not pay twice.',
        `If you have approved the payment with ${label}, wait here instead: its confirmation may take a moment.`,
      ],
    },
    triesUsedUp: (triesMax) => [
      'No more tries.',
      `All ${triesMax} were used. Finish the running payment, or start again from the shop.`,
    ],
  },
  review: {
    title: 'Your payment is under review',
    what: (label) => `The answer of ${label} does not settle this payment. A person has to check it.`,
    nothingPaid: 'Nothing was paid? Pay another way',
    next: 'What happens next',
    steps: [
      'We compare this payment with the records of the provider.',
      'The shop receives the result as soon as it is clear. You may close this page.',
      'If you have questions, give the shop this reference.',
    ],
    copy: 'Copy',
    copied: 'Copied',
    seeStatus: 'See the state of this payment',
  },
  scan: {
    heading: (label) => `Scan to pay with ${label}`,
    how: 'Scan the code with the app of your bank. Once it is paid, this page moves on by itself.',
    onThisPhone: 'On this phone? Save it and open it in your bank’s app.',
    save: 'Save the code',
    code: 'QR code of this payment',
    simulatedApp: 'Open the simulated bank app',
    scanned: 'Scanned. Confirm on your phone.',
    confirm: 'Approve the payment in the app of your bank. Once it is paid, this page moves on by itself.',
    again: 'Show the code again',
  },
  app: {
    opening: (label) => `Opening the ${label} app`,
    elseWeb: (time) => `If it does not open, you go on to the web page in ${time}.`,
    seconds: { one: '{n} second', other: '{n} seconds' },
    heading: (label) => `Pay in the ${label} app`,
    approve:
      'Approve the payment in the app, then come back here. Once it is paid, this page moves on by itself.',
    openNow: (label) => `Open the ${label} app`,
    openAgain: 'Open the app again',
    scanHeading: (label) => `Pay with the ${label} app`,
    scan: (label) =>
      `Scan the code with the camera of a phone that has the ${label} app. Once it is paid, this page moves on ` +
      'by itself.',
    code: (label) => `QR code that opens this payment in the ${label} app`,
    noApp: 'No phone at hand? Log in here instead.',
    onWeb: 'Pay on the web',
    simulatedApp: 'Open the simulated app',
  },
  ended: {
    titles: {
      success: 'Payment received',
      failed: 'Payment not completed',
      cancelled: 'Payment cancelled',
      expired: 'This payment session has expired',
    },
    texts: {
      failed: 'It could not be paid this time. Start again from the shop.',
      cancelled: 'Nothing more happens here. Start again from the shop whenever you like.',
      expired: 'Start again from the shop.',
    },
    success: (shop) => html`Thank you. ${userText(shop)} will be notified of your payment.`,
    doNotPayAgain: 'If money left your wallet, do not pay again.',
    weKeepAsking: 'We keep asking the provider, and notify the shop when the money is confirmed.',
    giveReference: 'Give the shop this reference.',
    print: 'Print this page',
    returning: (shop, time) => html`You return to ${shop === null ? 'the shop' : userText(shop)} in ${time}.`,
    seconds: { one: '{n} second', other: '{n} seconds' },
    stay: 'Stay on this page',
    stays: 'You stay on this page.',
  },
};

const trouble: TroubleTexts = {
  unknown: [
    'We do not know this payment',
    'The link may be incomplete or mistyped. Please go back to the shop and start again from there.',
  ],
  suspended: {
    title: 'This shop cannot take payments now',
    what: (shop) => html`${userText(shop)} cannot take payments at the moment. Please ask the shop.`,
    next: 'If you have just paid, your payment is still recorded. You need not pay again.',
  },
  strangeForm: 'This form is out of date',
  wrongChoice: 'This way to pay is not on offer',
  unchanged: 'Nothing was changed. Open the payment page again and choose there.',
  oldCode: ['This code is no longer valid', 'The payment page shows the current state.'],
  tooMany: 'Please wait a moment',
  tooManyThen: {
    one: 'There were too many tries from your network. Nothing was changed. Try again in a second.',
    other: 'There were too many tries from your network. Nothing was changed. Try again in {n} seconds.',
  },
  busy: 'One moment, please',
  busyHere: 'We are very busy right now. Open the payment page again: it shows the current state.',
  busyAnywhere:
    'We are very busy right now. Wait a moment and load this page again: it shows the current state.',
  notFound: [
    'There is nothing here',
    'The link may be incomplete or mistyped. Please go back to where you found it and try from there.',
  ],
  wrongWay: 'This did not come from our page',
  wrongWayAnywhere: 'Nothing was changed. Please go back to the shop and start again from there.',
};

const thanks: ThanksTexts = {
  ends: {
    open: ['Not paid yet', 'The payment page is still open. No money has been seen so far.'],
    review: [
      'The payment is under review',
      'The provider gave an answer that settles nothing. A shop waits before it ships.',
    ],
    success: [
      'Thank you, it is paid',
      'The provider has confirmed the money. A shop would now pack the order.',
    ],
    failed: ['The payment failed', 'Nothing was paid. A shop would offer another try.'],
    cancelled: ['The payment was cancelled', 'Nothing was paid. A shop would show the basket again.'],
    expired: ['The time to pay is over', 'Nothing was paid in time. A shop would offer to start again.'],
  },
  notRight: 'The address is not right.',
  believe: (claim, status) => `It says “${claim}”, the session says “${status}”. Believe the session.`,
  facts: {
    addressSays: 'The address says',
    nothing: 'nothing',
    sessionSays: 'The session says',
    session: 'Session',
    payment: 'Payment',
  },
  standsIn:
    'This page of the sandbox stands in for your shop’s own. Anybody can type an address, so it proves nothing: ' +
    'this page has asked the session.',
  another: 'Make another test payment',
  next: 'What next',
  dashboard: ['See it in the dashboard', 'With all requests and answers on the way.'],
  webhook: ['Receive the webhook', 'It informs your server of the payment.'],
  start: ['Start page', 'The simulator, its test buyers, and more.'],
  inTerminal: 'In a terminal, in the folder of the project, this prints each webhook as it comes:',
  withKey: 'Your server reads the session with its secret key:',
  nobody: {
    title: 'The sandbox’s thank-you page',
    what:
      'Buyers of test payments come back here when returnUrl names this page. This address names no sandbox ' +
      'session we know.',
    toStart: 'Go to the start page',
  },
};

const link: LinkTexts = {
  proceed: 'Continue to payment',
  until: (at) => html`This link can be paid until ${at}, Nepal time.`,
  amount: {
    heading: 'How much would you like to pay?',
    label: 'Amount in rupees',
    between: (least, most) => `From ${least} to ${most}`,
    problems: {
      missing: ['Enter an amount.', 'Write how much you would like to pay, in rupees.'],
      unreadable: ['We could not read the amount.', 'Write it in figures, like 1250 or 1250.50.'],
      outside: (least, most) => ['This amount is not possible.', `Enter one from ${least} to ${most}.`],
    },
  },
  closed: {
    inactive: ['This link is not available', 'The shop has switched it off. Please ask the shop.'],
    expired: ['This link has expired', 'The time to pay by it is over. Please ask the shop for a new one.'],
    completed: [
      'This link is no longer available',
      'It has been paid as often as the shop allows. Please ask the shop.',
    ],
    reserved: [
      'Others are paying right now',
      'All that is left is reserved for buyers who are paying at this moment. What they do not complete is ' +
        'free again: please try again in a few minutes.',
    ],
  },
  lookAgain: 'Look again',
  unknown: [
    'We do not know this link',
    'It may be incomplete or mistyped. Please go back to where you found it, or ask the shop.',
  ],
  openLink: 'Open the payment link again',
  publicStatuses: {
    awaiting_payment: [publicStatuses.awaiting_payment.label, linkStatusCodes.active.summary],
    paid: [publicStatuses.paid.label, linkStatusCodes.completed.summary],
    expired: [publicStatuses.expired.label, linkStatusCodes.expired.summary],
    cancelled: [publicStatuses.cancelled.label, linkStatusCodes.inactive.summary],
  },
};

export const en: BuyerTexts = {
  common,
  times: {
    digits: '0123456789',
    left: {
      soon: 'less than a minute',
      minutes: { one: '{n} minute', other: '{n} minutes' },
      hours: { one: '{n} hour', other: '{n} hours' },
      rest: '{n} min',
    },
    clock,
    day: format({ day: 'numeric', month: 'short' }),
    clockOn: (time, day) => `${time} on ${day}`,
    date,
    moment: (at) => `${date(at)}, ${clock(at)}`,
  },
  hosted,
  trouble,
  status: {
    title: 'Find your payment',
    purpose: 'See whether a payment was received, without the page you paid on.',
    field: 'Order number, payment id or the provider’s reference',
    show: 'Show the payment',
    another: 'Find another payment',
    problems: {
      too_short: ['That is too short.', 'A reference has at least 3 characters.'],
      too_long: ['That is too long.', 'A reference has at most 120 characters.'],
      not_found: [
        'We found no payment with this reference.',
        'Check each character. Order numbers are found for six months.',
      ],
      ambiguous: [
        'More than one shop uses this reference.',
        'Enter the payment id instead. It begins with pay_, and the page after the payment shows it.',
      ],
    },
    publicStatuses: {
      awaiting_payment: statusText('awaiting_payment'),
      processing: statusText('processing'),
      under_review: statusText('under_review'),
      paid: statusText('paid'),
      partially_refunded: statusText('partially_refunded'),
      refunded: statusText('refunded'),
      failed: statusText('failed'),
      cancelled: statusText('cancelled'),
      expired: statusText('expired'),
    },
    asOf: (time) => `As of ${time}, Nepal time.`,
    looksAgain: (seconds) => `This page looks again every ${seconds} seconds.`,
    facts: {
      provider: 'Provider',
      lastChange: 'Last change',
      orderNumber: 'Order number',
      shopReference: 'Shop reference',
      linkReference: 'Payment link',
      paymentId: 'Payment id',
      providerReference: (label) => `${label ?? 'Provider'} reference`,
      shop: 'Shop',
      verified: 'Verified',
    },
  },
  link,
  invoice: enInvoice,
  thanks,
};
