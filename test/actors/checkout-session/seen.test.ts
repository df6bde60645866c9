/** What a session passes to a look-up about the attempt's history, because some statuses mean different things by it. */
import { expect, test } from 'vitest';
import { legIn, comesBack, created, lookupsInFlight, pay, pollsNow, running, says } from './buyer.ts';

const seenBy = (story: ReturnType<typeof created>): unknown => lookupsInFlight(story)[0]?.seen;

test('nothing is recorded for an attempt whose buyer has not returned', () => {
  expect(seenBy(pollsNow(running(created())))).toBeUndefined();
});

test.each([
  ['failed', true],
  ['cancelled', true],
  ['paid', undefined],
  ['unknown', undefined],
] as const)('a return that says %s is recorded as one of a buyer who has not paid: %s', (hint, unpaid) => {
  const story = comesBack(running(created()), 1, hint);
  expect(legIn(story).seen?.returnedUnpaid).toBe(unpaid);
  expect(lookupsInFlight(story)[0]?.seen?.returnedUnpaid).toBe(unpaid);
});

test('a callback that says failed does not count as a return', () => {
  const story = running(created());
  const says = {
    paymentId: pay(1),
    from: 'callback',
    says: 'failed',
    verified: false,
    summary: 'x',
  } as const;
  story.when('hint', says, { by: 'buyer' });
  expect(legIn(story).seen).toBeUndefined();
});

test('"pending" is recorded, "not found" is not', () => {
  const unknown = says(pollsNow(running(created())), 'not_found');
  expect(legIn(unknown).seen).toBeUndefined();
  const open = pollsNow(says(pollsNow(running(created())), 'pending'));
  expect(seenBy(open)).toEqual({ returnedUnpaid: false, wasPending: true });
});

test('both are kept, and money is accepted all the same', () => {
  const story = comesBack(says(pollsNow(running(created())), 'pending').wait(2000), 1, 'failed');
  expect(seenBy(story)).toEqual({ returnedUnpaid: true, wasPending: true });
  expect(says(story, 'paid').view['status']).toBe('success');
});
