/** A Direct-QR session driven step by step, for the tests beside this file. */
import type { SessionCommands } from '../../../actors/checkout-session/commands.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import type { LookupAnswer, LookupOutcome } from '../../../src/providers/answers.ts';
import { expect } from 'vitest';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { given } from '../../support/simulated/test-runner.ts';
import {
  lookupsInFlight,
  minutes,
  opened,
  order,
  pay,
  says,
  scope,
  seconds,
  sessionId,
  sessionOf,
  type SessionStory,
} from './buyer.ts';

export const directQr: Order = {
  ...order,
  returnUrl: null,
  flow: 'redirect',
  preselected: 'qr_a',
  source: 'direct_qr',
  checkoutUrl: null,
};
export const lifeMs = minutes(3);
export const deadline = opened + lifeMs;
export const prn = 'pay-n5z1m6q3x9k2v7b1';
export const socketUrl = `wss://qr-a.example/ws/${prn}`;
export const at = (ms: number): string => new Date(ms).toISOString();

/** The merchant has asked; the provider has not answered. */
export const asked = (): SessionStory =>
  given(checkoutSession, { id: sessionId, scope, now: opened }).when('openDirectQr', {
    order: directQr,
    paymentId: pay(1),
    lifeMs,
  });

export const answer: SessionCommands['startAnswered'] = {
  paymentId: pay(1),
  durationMs: 90,
  answer: {
    outcome: 'started',
    instructions: { kind: 'qr', method: 'GET', url: '', fields: {}, qrMessage: '000201' },
    lookupReference: prn,
    providerExpiresAt: null,
    socketUrl,
  },
};
/** The buyer sees the code. */
export const shown = (): SessionStory => asked().settle('provider.start', answer);
export const refused = (): SessionStory =>
  asked().settle('provider.start', {
    paymentId: pay(1),
    durationMs: 90,
    answer: { outcome: 'failed', message: 'no' },
  } satisfies SessionCommands['startAnswered']);

export const tells = (story: SessionStory, from: 'scan' | 'socket'): SessionStory =>
  story.when('hint', {
    paymentId: pay(1),
    from,
    says: from === 'scan' ? 'unknown' : 'paid',
    verified: false,
    summary: `qr_a's socket: ${from}`,
  });
/** The next poll brings this. */
export const polled = (story: SessionStory, outcome: LookupOutcome, change: Partial<LookupAnswer> = {}) =>
  says(lookupsInFlight(story).length > 0 ? story : story.wait(seconds(3)), outcome, change);
export const paid = { providerRef: '128391', traceId: '128391', fee: null };
/** The deadline has come, the last look-up is on its way. */
export const atDeadline = (story: SessionStory = shown()): SessionStory => {
  while (story.now < deadline) {
    if (lookupsInFlight(story).length > 0) says(story, 'pending');
    story.wait(Math.min(seconds(3), deadline - story.now));
  }
  // a poll that was on its way says nothing about now
  if (lookupsInFlight(story)[0]?.cause !== 'lastLook') says(story, 'pending');
  expect(lookupsInFlight(story).map(({ cause }) => cause)).toEqual(['lastLook']);
  return story;
};

export const status = (story: SessionStory): string => story.state.status;
export const log = (story: SessionStory) => sessionOf(story).qrLog;
export const logged = (story: SessionStory): readonly string[] =>
  log(story).map(({ n, event }) => `${n} ${event}`);
