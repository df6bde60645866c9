/** Every page a buyer can meet, by name, with data at its limits: what the browser tests open and screens.ts
 *  draws. */
import { closedLinkPage, linkPage, unknownLinkPage, type LinkShown } from '../../gateways/pages/link/link.ts';
import type { Language } from '../../actors/message/messages.ts';
import { localeIn } from '../../gateways/pages/locale.ts';
import { chooserPage, interstitialPage, type Chooser } from '../../gateways/pages/hosted/chooser.ts';
import { endedPage, type Ended } from '../../gateways/pages/hosted/ended.ts';
import type { PageOrder } from '../../gateways/pages/hosted/frame.ts';
import { handoverPage } from '../../gateways/pages/hosted/handover.ts';
import {
  busyPage,
  notFoundPage,
  oldCodePage,
  strangeFormPage,
  suspendedPage,
  tooManyPage,
  unknownPage,
  wrongChoicePage,
  wrongWayPage,
} from '../../gateways/pages/hosted/trouble.ts';
import {
  awayPage,
  checkingPage,
  openingPage,
  reviewPage,
  triesUsedUp,
  undecidedPage,
  type Waiting,
} from '../../gateways/pages/hosted/waiting.ts';
import { statusPage, statusSearchPage } from '../../gateways/pages/hosted/status.ts';
import { nobodysThanksPage, thanksPage, type Thanks } from '../../gateways/pages/front/thanks.ts';
import type { PublicStatus } from '../../gateways/status/answer.ts';
import { publicStatuses, type StatusCode } from '../../gateways/status/status-codes.ts';
import { appPage, type AppLink } from '../../gateways/pages/hosted/app.ts';
import { scanPage } from '../../gateways/pages/hosted/scan.ts';
import type { Counter, Way } from '../../gateways/pages/hosted/ways.ts';
import { shortName } from '../../gateways/pages/hosted/words.ts';
import { invoiceSamples } from './invoice-samples.ts';

const path = '/pay/cs_n5y5kc7txbgmy7rz22b0c1r5';
const now = Date.UTC(2026, 10, 20, 9, 17);

const sheet: PageOrder = {
  shop: { name: 'Example Store', logoUrl: null },
  sandbox: true,
  amount: 125_050,
  description: 'Order 1001',
};
const liveSheet: PageOrder = { ...sheet, sandbox: false };
const devanagari: PageOrder = {
  shop: { name: 'हिमालय पुस्तक पसल तथा स्टेसनरी', logoUrl: null },
  sandbox: false,
  amount: 100_000_000,
  description: 'बच्चाहरूका लागि कथा संग्रह, तीन थान, काठमाडौं डेलिभरी सहित',
};
const longest: PageOrder = {
  shop: {
    name: 'The Very Long Named General Trading And Import Company Of The Whole Kathmandu Valley Private Limited',
    logoUrl: null,
  },
  sandbox: true,
  amount: 100_000_000,
  description:
    `${'Averyveryverylongwordwithoutanyspace'.repeat(4)} ${'and then more words of an order '.repeat(11)}`.slice(
      0,
      500,
    ),
};
const hostile: PageOrder = {
  shop: { name: '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>', logoUrl: 'javascript:alert(1)' },
  sandbox: true,
  amount: 1000,
  description: '</p></header><script>alert(document.domain)</script>\u202Emoc.live',
};

type Pages = Readonly<Record<string, string>>;

/** The answer of docs/reference/api/public-status.md. */
const publicStatus = (code: StatusCode): PublicStatus => ({
  lookup: { query: '1001', matchedBy: 'order_id', type: 'payment', lookbackMonths: 6 },
  status: {
    code,
    ...publicStatuses[code],
    autoRefresh: !publicStatuses[code].terminal,
    refreshIntervalMs: publicStatuses[code].terminal ? 0 : 5000,
  },
  merchant: { name: 'Example Store', logoUrl: null, verified: true },
  amount: { value: 125_050, currency: 'NPR', display: 'NPR 1,250.50' },
  provider: { id: 'wallet_a', label: 'Wallet A' },
  payment: {
    id: 'pay_4t8z1m6q3x9k2v7b',
    status: 'success',
    providerRef: '000AWEO',
    createdAt: '2026-11-20T09:15:30.000Z',
    updatedAt: '2026-11-20T09:16:40.000Z',
  },
  session: {
    id: 'cs_n5y5kc7txbgmy7rz22b0c1r5',
    status: 'success',
    referenceId: 'A-1001',
    expiresAt: '2026-11-20T09:45:00.000Z',
    createdAt: '2026-11-20T09:15:00.000Z',
    updatedAt: '2026-11-20T09:16:40.000Z',
  },
  references: { orderId: '1001', linkReferenceId: null, providerRef: '000AWEO' },
  mode: 'sandbox',
  updatedAt: '2026-11-20T09:16:40.000Z',
});

/** What the sandbox's status address answers under these samples. */
export const statusBody = {
  status: 'initiated',
  provider: 'wallet_b',
  needsReview: false,
  expires_at: '2026-11-20T09:45:00.000Z',
  next: null,
};

/** `auto`: pages whose form goes by itself where script runs. */
export function samplesIn(language: Language): { readonly all: Pages; readonly auto: Pages } {
  const locale = localeIn(language, path);
  const way = (id: Way['id'], label: string, health: Way['health'] = 'up'): Way => ({ id, label, health });
  const three = [way('wallet_a', 'Wallet A'), way('wallet_b', 'Wallet B'), way('qr_a', 'QR A')];
  const counterOf = ({ shop }: PageOrder): Counter => ({
    locale,
    path,
    token: 'T'.repeat(43),
    cancel: locale.texts.common.cancelAndBackTo(shortName(shop.name)),
  });
  const counter = counterOf(sheet);

  const chooser: Chooser = {
    locale,
    sheet,
    deadline: { at: now + 28 * 60_000, now },
    counter,
    ways: three,
    preselected: null,
    lastTry: null,
    triesLeft: 5,
    live: { session: path.replace('/pay/', ''), seen: 'pending  false' },
    address: null,
  };
  const waiting: Waiting = {
    locale,
    sheet,
    deadline: chooser.deadline,
    counter,
    running: { id: 'wallet_b', label: 'Wallet B' },
    others: [way('wallet_a', 'Wallet A'), way('qr_a', 'QR A')],
    live: { session: path.replace('/pay/', ''), seen: 'initiated wallet_b false' },
  };
  const scanned = {
    ...waiting,
    running: { id: 'qr_a', label: 'QR A' },
    others: three.slice(0, 2),
    deadline: { at: now + 179_000, now, inSeconds: true } as const,
    isScanned: false,
    // the code of docs/reference/api.md
    qrText:
      '00020101021226350011qra.example0716222200000000001752045411530352454071250.505802NP5913EXAMPLE STORE' +
      '6009KATHMANDU62320520pay-4t8z1m6q3x9k2v7b070400016304516C',
  };
  const inApp: AppLink = {
    ...waiting,
    running: { id: 'wallet_a', label: 'Wallet A' },
    others: three.slice(1),
    deadline: { at: now + 30 * 60_000, now },
    link: 'https://links.example/pay/Zx81',
    isPhone: true,
    opens: null,
    simulatedApp: '/sim/wallet_a/app/Zx81',
  };
  const ended: Ended = {
    locale,
    sheet,
    end: 'success',
    shopAddress: 'https://shop.example/return?session_id=cs_n5y5kc7txbgmy7rz22b0c1r5&status=success',
    texts: locale.texts.hosted.ended.texts,
    back: null,
    invoice: null,
    payment: { id: 'pay_4t8z1m6q3x9k2v7b', label: 'Wallet B', paidAt: now, duplicate: false },
    reference: 'pay_4t8z1m6q3x9k2v7b',
    moneyMayCome: false,
    returns: null,
  };
  const tried = {
    ...ended,
    payment: { id: 'pay_4t8z1m6q3x9k2v7b', label: 'Wallet B', paidAt: null, duplicate: false },
    moneyMayCome: true,
  };
  const thanks: Thanks = {
    locale,
    sheet,
    sessionId: path.replace('/pay/', ''),
    status: 'success',
    needsReview: false,
    claimed: 'success',
    payment: ended.payment,
    dashboard: '/dashboard',
    service: 'http://127.0.0.1:8080',
    webhookGuide: '/docs/guides/webhooks.md',
    testPayment: { token: 'T'.repeat(43) },
  };
  const link: LinkShown = {
    shop: sheet.shop,
    sandbox: true,
    name: 'Workshop seat',
    description: 'Pottery for beginners, Saturday, 10 am, Patan',
    amount: 50_000,
    minAmount: 10_000,
    maxAmount: 2_000_000,
    expiresAt: now + 86_400_000,
    now,
    path: '/link/PL-7K2M9Q4X',
    locale,
  };
  const form = { session: 'cs_n5y5kc7txbgmy7rz22b0c1r5', token: 'token', entered: '', problem: null };
  const declined = { label: 'Wallet B', end: 'declined' } as const;
  const way1 = way('wallet_b', 'Wallet B');

  const samples: Pages = {
    chooser: chooserPage(chooser),
    'chooser-one': chooserPage({ ...chooser, ways: [way1] }),
    'chooser-live': chooserPage({ ...chooser, sheet: liveSheet }),
    'chooser-troubled': chooserPage({
      ...chooser,
      ways: [
        way('wallet_a', 'Wallet A', 'degraded'),
        way('wallet_b', 'Wallet B', 'down'),
        way('qr_a', 'QR A'),
      ],
    }),
    'chooser-five': chooserPage({
      ...chooser,
      ways: [...three, way('bank_a', 'Bank A'), way('wallet_c', 'Wallet C')],
    }),
    'chooser-address': chooserPage({
      ...chooser,
      address: { values: { line1: 'Ward 4, "Sunrise" House', city: '' }, incomplete: true },
    }),
    'chooser-none': chooserPage({ ...chooser, ways: [] }),
    'chooser-declined': chooserPage({ ...chooser, lastTry: declined, triesLeft: 2 }),
    'chooser-unreachable': chooserPage({
      ...chooser,
      ways: [way1],
      lastTry: { label: 'Wallet B', end: 'unreachable' },
      triesLeft: 4,
    }),
    'chooser-devanagari': chooserPage({
      ...chooser,
      sheet: devanagari,
      counter: counterOf(devanagari),
    }),
    'chooser-longest': chooserPage({
      ...chooser,
      sheet: longest,
      counter: counterOf(longest),
      deadline: { at: now + 1440 * 60_000, now },
    }),
    'chooser-hostile': chooserPage({
      ...chooser,
      sheet: hostile,
      counter: counterOf(hostile),
    }),
    'redirect-tried': interstitialPage({ ...chooser, way: way1, lastTry: declined, triesLeft: 4 }),
    'redirect-none': interstitialPage({ ...chooser, way: null }),
    opening: openingPage(waiting),
    away: awayPage(waiting),
    'away-no-more-tries': awayPage(waiting, triesUsedUp(5, locale)),
    scan: scanPage(scanned),
    'scan-live': scanPage({ ...scanned, sheet: liveSheet }),
    scanned: scanPage({ ...scanned, isScanned: true }),
    app: appPage(inApp),
    'app-no-more-tries': appPage({ ...inApp, others: [] }, triesUsedUp(5, locale)),
    'app-desktop': appPage({ ...inApp, isPhone: false }),
    'app-desktop-devanagari': appPage({
      ...inApp,
      isPhone: false,
      sheet: devanagari,
      counter: counterOf(devanagari),
    }),
    checking: checkingPage({ ...waiting, to: path, waitMs: 10_000 }),
    undecided: undecidedPage({ ...waiting, to: path, mayTryAgain: true }),
    review: reviewPage({ ...waiting, reference: ended.payment?.id ?? '' }),
    'review-ended': reviewPage({
      ...waiting,
      reference: ended.payment?.id ?? '',
      others: [],
      running: null,
      shopAddress: 'https://shop.example/return',
    }),
    success: endedPage(ended),
    failed: endedPage({ ...tried, end: 'failed' }),
    cancelled: endedPage({ ...tried, end: 'cancelled', payment: null, moneyMayCome: false }),
    expired: endedPage({ ...tried, end: 'expired' }),
    'expired-untouched': endedPage({
      ...ended,
      end: 'expired',
      payment: null,
      reference: path.replace('/pay/', ''),
    }),
    suspended: suspendedPage(sheet.shop, locale),
    unknown: unknownPage(locale),
    'strange-form': strangeFormPage(path, locale),
    'wrong-choice': wrongChoicePage(path, locale),
    'too-many': tooManyPage(41, locale),
    busy: busyPage(path, locale),
    'busy-anywhere': busyPage(null, locale),
    'wrong-way': wrongWayPage(path, locale),
    'wrong-way-anywhere': wrongWayPage(null, locale),
    'old-code': oldCodePage(path, locale),
    nowhere: notFoundPage(locale),
    'status-search': statusSearchPage('', null, locale),
    'status-not-found': statusSearchPage('A-1001', 'not_found', locale),
    'status-paid': statusPage(publicStatus('paid'), now, null, locale),
    'status-processing': statusPage(publicStatus('processing'), now, path, locale),
    thanks: thanksPage({ ...thanks, status: 'success', claimed: 'success' }),
    'thanks-open': thanksPage({ ...thanks, status: 'initiated', claimed: 'success', payment: null }),
    'thanks-nobody': nobodysThanksPage(locale),
    link: linkPage(link, { ...form, problem: null }),
    'link-amount': linkPage({ ...link, amount: null }, { ...form, entered: '12,50', problem: 'unreadable' }),
    'link-reserved': closedLinkPage(link, 'reserved'),
    'link-completed': closedLinkPage(link, 'completed'),
    'link-unknown': unknownLinkPage(locale),
    ...invoiceSamples(locale, [sheet, devanagari, longest], ended),
  };

  const autoSamples: Pages = {
    'success-returning': endedPage({
      ...ended,
      returns: { afterMs: 5000, to: ended.shopAddress ?? '', stay: `${path}?stay=1` },
    }),
    redirect: interstitialPage({ ...chooser, way: way1 }),
    'app-opening': appPage({ ...inApp, opens: '/opens-nothing' }),
    handover: handoverPage({
      locale,
      sheet,
      label: 'Wallet A',
      method: 'POST',
      url: '/provider',
      fields: { amount: '1250.50', signature: 'a"b<c>' },
    }),
  };
  return { all: samples, auto: autoSamples };
}

export const { all: samples, auto: autoSamples } = samplesIn('en');
