/** The service is killed at the moment of the payment: what a stream has sent stays true, and what it could not send is
 *  sent afterwards. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { houseOf } from '../support/galla.ts';
import { code, paymentOf, phone, premium, streamAt } from '../support/qr-shop.ts';
import { entry } from './run.ts';

/** From before the phone's answer to well after the end was sent. */
const killedAfterMs = [0, 15, 40, 'told'] as const;
const rescuedMsMax = 20_000;

test('row 76: killed around qr.paid, the payment is on the stream and among the events, or in neither', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-qr-kill-'));
  let service = await Service.start({ dataDir, entry, env: { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } });
  const { port, url } = service;
  try {
    const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
    const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
    const shop = await premium(house);
    for (const after of killedAfterMs) {
      const session = await code(shop);
      const id = session.text('id');
      const reader = await streamAt(url, id);
      await reader.hears(1);
      const paying = phone(shop, session.text('qr_message'), 'pay').catch(() => undefined);
      if (after === 'told') await reader.end();
      else await new Promise((resolve) => setTimeout(resolve, after));
      await service.kill();
      await paying;
      const told = reader.news.at(-1) ?? '';
      service = await Service.start({
        dataDir,
        entry,
        port,
        env: { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' },
      });
      const wasTold = told.includes('event: qr.paid');
      if (wasTold) expect((await shop.session(id)).at('status')).toBe('success');
      if (after !== 'told' && (await shop.session(id)).at('status') !== 'success') {
        // the phone's press may not have arrived: it is pressed again, or its effect is found by the next look-up
        await phone(shop, session.text('qr_message'), 'pay').catch(() => undefined);
      }
      await shop.untilStatus(id, 'success', rescuedMsMax);
      const payment = await paymentOf(shop, session);
      const events = await shop.untilEvents(1, 'payment.succeeded', payment.text('id'));
      expect(events).toHaveLength(1);
      const again = await streamAt(url, id);
      await again.end();
      expect(again.news).toHaveLength(2);
      expect(again.news[1]).toContain(`"paymentId":"${payment.text('id')}"`);
      if (wasTold) expect(JSON.parse(dataIn(again.news[1]))).toEqual({ ...dataOf(told), replay: true });
      again.leave();
      reader.leave();
    }
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);

const dataIn = (frame = ''): string => /^data: (.*)$/m.exec(frame)?.[1] ?? '';
const dataOf = (frame: string): object => JSON.parse(dataIn(frame)) as object;
