import { describe, expect, test } from 'vitest';
import {
  dueOf,
  afterAll,
  afterNews,
  noNews,
  pollMsOf,
  lostMs,
  unconnectedMs,
} from '../../../../gateways/dashboard/web/live/news-heard.ts';
import {
  answersMax,
  Questions,
  restFactor,
  restMsMax,
} from '../../../../gateways/dashboard/web/questions.ts';
import type { Result } from '../../../../gateways/dashboard/web/wire/failure.ts';
import { Clock } from '../../buyer/till.ts';

const heard = (due: number, latest = due) => ({ due, latest });
const draw = (): void => undefined;

class Desk {
  readonly clock = new Clock();
  readonly questions = new Questions({
    now: () => this.clock.now(),
    after: (ms, work) => this.clock.after(ms, work),
  });
  readonly waiting: ((result: Result<string>) => void)[] = [];
  asked = 0;
  readonly ask = (): Promise<Result<string>> => {
    this.asked++;
    return new Promise((resolve) => void this.waiting.push(resolve));
  };

  /** Answers the oldest that waits, after so long. */
  async answers(value: string, tookMs = 0): Promise<void> {
    await this.clock.pass(tookMs);
    this.waiting.shift()?.({ ok: true, value });
    await this.clock.pass(0);
  }
}

describe('questions that a page shares', () => {
  test('two parts that show one answer ask once, and both are drawn', async () => {
    const desk = new Desk();
    const drawn: string[] = [];
    const question = desk.questions.of<string>('business');
    for (const part of ['one', 'other']) {
      question.join(() => void drawn.push(part));
      question.hear(heard(1), desk.ask);
    }
    await desk.answers('a');
    expect([desk.asked, question.answered.value, drawn]).toEqual([1, 'a', ['one', 'other']]);
  });

  test('it is asked again when something it depends on has changed since it was asked, and only then', async () => {
    const desk = new Desk();
    const question = desk.questions.of<string>('plans');
    question.join(draw);
    question.hear(heard(1, 3), desk.ask);
    await desk.answers('a');
    // the third message came before the question was asked
    question.hear(heard(3, 3), desk.ask);
    expect(desk.asked).toBe(1);
    question.hear(heard(4, 4), desk.ask);
    expect(desk.asked).toBe(2);
  });

  test('changes during an answer lead to one more question, after it', async () => {
    const desk = new Desk();
    const question = desk.questions.of<string>('plans');
    question.join(draw);
    question.hear(heard(1), desk.ask);
    for (const at of [2, 3, 4]) question.hear(heard(at), desk.ask);
    expect(desk.asked).toBe(1);
    await desk.answers('a');
    expect(desk.asked).toBe(2);
    await desk.answers('b');
    expect([desk.asked, question.answered.value]).toEqual([2, 'b']);
  });

  test.each([
    ['so many times as long as the answer took', 100, 100 * restFactor],
    ['no longer than the bound', restMsMax, restMsMax],
  ])('after a slow answer the next change waits: %s', async (_what, tookMs, restMs) => {
    const desk = new Desk();
    const question = desk.questions.of<string>('plans');
    question.join(draw);
    question.hear(heard(1), desk.ask);
    await desk.answers('a', tookMs);
    question.hear(heard(2), desk.ask);
    question.hear(heard(3), desk.ask);
    await desk.clock.pass(restMs - 1);
    expect(desk.asked).toBe(1);
    await desk.clock.pass(1);
    expect(desk.asked).toBe(2);
  });

  test('a person who asks again does not wait', async () => {
    const desk = new Desk();
    const question = desk.questions.of<string>('plans');
    question.join(draw);
    question.hear(heard(1), desk.ask);
    question.again(desk.ask);
    expect(desk.asked).toBe(2);
    question.poll(desk.ask);
    expect(desk.asked).toBe(2);
  });

  test('shown anew it is asked anew, with the known answer meanwhile; an answer to the earlier question is dropped', async () => {
    const desk = new Desk();
    const question = desk.questions.of<string>('plans');
    const leave = question.join(draw);
    question.hear(heard(1), desk.ask);
    await desk.answers('a');
    question.again(desk.ask);
    leave();
    const again = desk.questions.of<string>('plans');
    again.join(draw);
    again.hear(heard(1), desk.ask);
    expect([desk.asked, again.answered.value]).toEqual([3, 'a']);
    await desk.answers('late');
    expect(again.answered.value).toBe('a');
    await desk.answers('b');
    expect(again.answered).toMatchObject({ value: 'b', at: desk.clock.now() });
  });

  test('the answers of so many questions that nobody shows are kept, and those that are shown', () => {
    const { questions } = new Desk();
    const shown = questions.of('shown');
    shown.join(draw);
    const first = questions.of('0');
    for (let at = 1; at < answersMax; at++) questions.of(String(at));
    expect(questions.of('0')).toBe(first);
    // now the second is the oldest
    const second = questions.of('1');
    for (let at = 0; at < answersMax; at++) questions.of(`other ${at}`);
    expect(questions.of('1')).not.toBe(second);
    expect(questions.of('shown')).toBe(shown);
  });
});

describe('what has changed', () => {
  test('a snapshot stands for every kind, and news for their own', () => {
    const begun = afterAll(noNews);
    const later = afterNews(begun, ['plan', 'link']);
    expect([dueOf(begun, []), dueOf(begun, 'nothing')]).toEqual([1, 1]);
    expect([dueOf(later, ['plan']), dueOf(later, ['customer']), dueOf(later, 'nothing')]).toEqual([2, 1, 1]);
    expect(dueOf(afterAll(later), [])).toBe(3);
  });

  test('what follows kinds is also asked now and then, and everything while nothing arrives by itself', () => {
    expect([pollMsOf(true, ['plan']), pollMsOf(true, []), pollMsOf(true, 'nothing')]).toEqual([
      lostMs,
      null,
      null,
    ]);
    expect([pollMsOf(false, ['plan']), pollMsOf(false, [])]).toEqual([unconnectedMs, unconnectedMs]);
  });
});
