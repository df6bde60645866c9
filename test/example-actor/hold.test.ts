import { expect, test } from 'vitest';
import { minutes } from '../../src/kernel/time.ts';
import { scopeOf } from '../../src/runtime/model/address.ts';
import { given } from '../support/simulated/test-runner.ts';
import { hold } from './hold.ts';

const who = { id: 'hld_wfr9z72rnbh2bzj55vtw6d93', scope: scopeOf('prj_pjc0e83mhrawse3s6h8bhrbw', 'sandbox') };
const opened = () => {
  const story = given(hold, who);
  return story.when('open', { item: 'Kettle', until: story.now + minutes(10) });
};

test('what is bought in time does not lapse', () => {
  const story = opened().wait(minutes(9)).when('buy', {}).wait(minutes(5));
  expect(story.view).toMatchObject({ item: 'Kettle', status: 'bought', sequence: 2 });
  expect(story.timer('end')).toBeNull();
});

test('when the time is over it cannot be bought any more', () => {
  const story = opened().wait(minutes(10));
  expect(story.state.status).toBe('lapsed');
  expect(story.when('buy', {}).last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
});

test('a repeated request changes nothing', () => {
  const story = opened().when('open', { item: 'Other', until: 0 });
  expect(story.view).toMatchObject({ item: 'Kettle', sequence: 1 });
});
