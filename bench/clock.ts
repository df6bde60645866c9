/** Ninety days in one advance of a test clock, for many subscriptions whose invoices nobody pays. */
import { setTimeout as pause } from 'node:timers/promises';
import { days, minutes } from '../src/kernel/time.ts';
import { Api } from '../src/cli/demo/api.ts';
import { accountAt, embeddedHouse, planned } from './subscribed.ts';
import { rssBytes, spending, type Bench, type Row } from './support.ts';

/** BENCH_SUBSCRIPTIONS names another number, for a quick look. */
const many = Number(process.env['BENCH_SUBSCRIPTIONS'] ?? 1000);
const advancedDays = 90;
const atOnce = 50;
const doneMsMax = 3_600_000;
const askEveryMs = 500;

export const clockEmbedded: Bench = {
  title: 'A test clock that is advanced by 90 days, embedded',
  setup:
    `${many.toLocaleString('en')} subscriptions of one project, half of them monthly and half weekly, which start within the ` +
    'first week; nobody pays. Each invoice has a draft, an opening, its due day, an overdue action after three days and a ' +
    'reminder every week for 60 days. One advance of 90 days, without webhook endpoints',
  bound:
    'the disk, and the way to the thread that writes: timers fire one after the other, and each takes two to three commits, ' +
    'one after the other (the clock with the subscription, then the event with a number or a mail, then what became of ' +
    'the mail); each waits for a sync of the disk. What is due is asked once for the whole advance (docs/decisions/0042): ' +
    'asked at each timer, as before, the same advance took 1,251 s on this machine, partly while other programs ran ' +
    '(80.9 timers /s, 4,997 us of CPU); 200 subscriptions took 186.7 s before and 65.1 s after. By reading, the memory is that of ' +
    'actors that were used in the last two minutes; a faster advance uses more of them in that time',
  async run(room) {
    const house = embeddedHouse(room, 'clock');
    const account = await house.inside(async (galla) => {
      const made = await accountAt(galla.url, house.adminToken);
      const monthly = await planned(galla, made.scope, { unit: 'month', count: 1 });
      const weekly = await planned(galla, made.scope, { unit: 'week', count: 1 });
      const from = Date.now() + minutes(10);
      const startOf = (n: number): number => from + Math.floor((n * days(7)) / many);
      for (let n = 0; n < many; n += atOnce)
        await Promise.all(
          Array.from({ length: Math.min(atOnce, many - n) }, (_, at) =>
            ((n + at) % 2 === 0 ? monthly : weekly)(startOf(n + at)),
          ),
        );
      return made;
    });
    const service = await house.served();
    const api = new Api(service.url, account.key);
    const total = async (): Promise<number> =>
      Number((await api.must('GET', '/v1/events?limit=1')).body.at('total'));
    const [before, spent, from] = [await total(), spending([service.pid]), performance.now()];
    await api.must('POST', '/v1/test/clock/advance', { bySeconds: days(advancedDays) / 1000 });
    let clock = (await api.must('GET', '/v1/test/clock')).body;
    while (clock.at('status') !== 'ready') {
      if (performance.now() - from > doneMsMax)
        throw new Error(`only ${String(clock.at('fired'))} timers fired`);
      await pause(askEveryMs);
      clock = (await api.must('GET', '/v1/test/clock')).body;
    }
    const tookMs = performance.now() - from;
    const fired = Number(clock.at('fired'));
    const { cpuUs } = spent(fired);
    const events = (await total()) - before;
    const arm = `${many.toLocaleString('en')} subscriptions`;
    const row = (what: string, value: number, unit: string, more: Partial<Row> = {}): Row => ({
      what,
      arm,
      value,
      unit,
      ...more,
    });
    return [
      row('the whole advance', tookMs / 1000, 's'),
      row('timers fired', fired, 'in all'),
      row('timers', fired / (tookMs / 1000), '/s', { cpuUs }),
      row('events', events / (tookMs / 1000), '/s'),
      row('RSS after', rssBytes(service.pid) / 2 ** 20, 'MiB'),
    ];
  },
};
