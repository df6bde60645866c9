/** A look-up of a payment begins before its commit: the hint that asks for it and its answer are one turn, and one commit
 *  (docs/decisions/0043-a-read-begins-before-its-commit.md). */
import { expect, test } from 'vitest';
import { gallaOfFile } from '../support/of-file.ts';
import { numbersOf } from '../support/numbers.ts';

const house = gallaOfFile();

/** A busy machine may take longer than a turn waits: of so many checkouts, one is enough. */
const checkoutsMax = 30;

test('of a checkout whose provider answers at once, the return and its look-up are one turn of the session', async () => {
  const merchant = await house.merchant();
  const of = async (name: string): Promise<number> =>
    (await numbersOf(house.url)).get(`${name}{kind="checkout_session"}`) ?? 0;
  const seen: (readonly [commands: number, turns: number])[] = [];
  const isOne = ([commands, turns]: readonly [number, number]): boolean => commands === turns + 1;
  while (seen.length < checkoutsMax && !seen.some(isOne)) {
    const [commands, turns] = [await of('galla_turn_commands_total'), await of('galla_turns_total')];
    const session = await merchant.checkout();
    await merchant.simulate(session.text('id'), 'success');
    await merchant.untilStatus(session.text('id'), 'success');
    seen.push([(await of('galla_turn_commands_total')) - commands, (await of('galla_turns_total')) - turns]);
  }
  expect(seen.filter(isOne), JSON.stringify(seen)).not.toEqual([]);
});
