/** The service ends in the middle of what simulated buyers do, by kill -9 and by SIGTERM, and is started again: every
 *  outcome that was promised is reached. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { pause } from './line.ts';
import { entry } from './run.ts';

/** What is promised, and what the provider's book says in the end. */
const outcomes = [
  ['success', 'wallet_b', 'paid'],
  ['success', 'wallet_a', 'paid'],
  ['success', 'qr_a', 'paid'],
  ['declined', 'wallet_b', 'declined'],
  ['insufficient_funds', 'qr_a', 'declined'],
  ['cancelled', 'wallet_a', 'cancelled'],
  ['scanned', 'qr_a', 'opened'],
  ['lost_redirect', 'wallet_b', 'paid'],
  ['duplicate_callback', 'wallet_a', 'paid'],
  ['double_payment', 'wallet_b', 'paid'],
  ['wrong_amount', 'wallet_b', 'paid'],
  ['bad_signature', 'wallet_a', 'paid'],
  ['ambiguous', 'wallet_b', 'paid'],
] as const;
/** After the last promise was answered. */
const endsAfterMs = [0, 10, 25, 50] as const;
const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } as const;
/** A session is looked up every 30 s at last. */
const endMsMax = 60_000;

interface Promised {
  readonly sessionId: string;
  readonly outcome: string;
  readonly provider: string;
  readonly book: string;
}

async function promised(shop: Merchant): Promise<readonly Promised[]> {
  return Promise.all(
    outcomes.map(async ([outcome, provider, book]) => {
      const sessionId = (await shop.checkout()).text('id');
      await shop.api.must('POST', `/v1/test/checkout/${sessionId}/simulate`, { outcome, provider });
      return { sessionId, outcome, provider, book };
    }),
  );
}

async function reached(shop: Merchant, { sessionId, outcome, provider, book }: Promised): Promise<void> {
  const of = `${outcome} at ${provider} of ${sessionId}`;
  const { body } = await shop.api.must('GET', `/v1/payments?sessionId=${sessionId}`);
  const states: unknown[] = [];
  for (const payment of body.list('data')) {
    const reference = payment.text('id').replace('_', '-');
    const path = `/sim/control/payments?provider=${provider}&reference=${reference}`;
    const ledger = await shop.api.must('GET', path);
    // an attempt whose start was cut off is in no book
    states.push(...ledger.body.list('data').map((one) => one.at('state')));
  }
  // the second payment may have been sent back by now
  const paidOrBack = states.map((state) =>
    outcome === 'double_payment' && state === 'refunded' ? book : state,
  );
  expect(paidOrBack, of).toEqual(outcome === 'double_payment' ? [book, book] : [book]);
  const session = await shop.session(sessionId);
  const reviewed = outcome === 'wrong_amount' || outcome === 'ambiguous';
  if (reviewed) expect(session.at('needsReview'), of).toBe(true);
  else if (book === 'paid') expect(session.at('status'), of).toBe('success');
}

test.concurrent.each(['kill', 'stop'] as const)(
  'simulated buyers interrupted by %s continue after the next start',
  async (end) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'galla-simulated-kill-'));
    let service = await Service.start({ dataDir, entry, env });
    const { port, url } = service;
    try {
      const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
      const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
      const shop = await house.merchant();
      const all: Promised[] = [];
      for (const afterMs of endsAfterMs) {
        all.push(...(await promised(shop)));
        await pause(afterMs);
        await service[end]();
        service = await Service.start({ dataDir, entry, port, env });
      }
      for (const one of all) {
        await eventually(
          () =>
            reached(shop, one).then(
              () => true,
              () => null,
            ),
          () => `${one.outcome} at ${one.provider}`,
          endMsMax,
        ).catch(() => undefined);
        await reached(shop, one);
      }
    } finally {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  300_000,
);
