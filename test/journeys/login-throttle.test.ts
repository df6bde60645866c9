/** An attacker guesses passwords of the operator, and of a merchant whose e-mail is known: that network is told to wait, and
 *  the owners log in from elsewhere as usual. */
import { expect, test } from 'vitest';
import { merchantWithLogin, Page, type Person } from '../support/dashboard.ts';
import { describeModesAlone } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const triesPerPair = 10;
const guesses = 40;
/** A password is a third of a second of one core. */
const longStoryMsMax = 60_000;

/** Each address is a client of the proxy in front, which here is the test. */
const from = (address: string) => ({ 'x-forwarded-for': address });

describeModesAlone(
  'who guesses passwords',
  (galla) => {
    const pageAt = (at: number): Page => new Page(galla().urls[at % galla().urls.length] ?? '');

    /** `site`: 48 bits that stories do not share. */
    async function besieged(person: Person, site: string): Promise<void> {
      const [guesser, sameNetwork, owner] = [`${site}:1::66`, `${site}:1::67`, `${site}:2::1`];
      const answers = await Promise.all(
        Array.from({ length: guesses }, (_, at) =>
          pageAt(0).logIn({ ...person, password: `guess ${at}` }, from(guesser)),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(triesPerPair);
      expect(statuses.filter((status) => status === 429)).toHaveLength(guesses - triesPerPair);
      for (const at of galla().urls.keys()) {
        const again = await pageAt(at).logIn(person, from(sameNetwork));
        expectRefusal(again, 'rate_limit_exceeded');
        expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await pageAt(at).logIn(person, from(owner))).status).toBe(200);
      }
    }

    test(
      'does not lock out the operator',
      () => besieged({ email: 'operator', password: galla().admin.key ?? '' }, '2001:db8:1'),
      longStoryMsMax,
    );

    test(
      'does not lock out a user whose e-mail is known',
      async () => {
        const email = `known.${Date.now().toString(36)}@example.com`;
        await besieged(
          await merchantWithLogin(galla().admin, { email, password: 'a chosen password' }),
          '2001:db8:2',
        );
      },
      longStoryMsMax,
    );
  },
  { GALLA_TRUSTED_PROXIES: '127.0.0.1' },
);
