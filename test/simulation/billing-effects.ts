/** The runners of subscriptions: the service's own, on the store of the process; mails are taken at once. */
import type { EffectRunners } from '../../src/runtime/delivery/effects.ts';
import { DocReader } from '../../src/runtime/model/upcast.ts';
import { billingEffects } from '../../src/billing/billing-effects.ts';
import type { MessageCommands } from '../../actors/message/messages.ts';
import { customer } from '../../actors/customer/customer.ts';
import { plan } from '../../actors/plan/plan.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

export const billingRunners = (_world: World, self: () => Process): EffectRunners => {
  const read: Pick<DocReader, 'read'> = {
    read: (kind, id) => new DocReader(self().connection, [plan, customer]).read(kind, id),
  };
  const sent: MessageCommands['tried'] = { outcome: { is: 'accepted', reply: '250 taken' } };
  return {
    ...billingEffects(read),
    'message.send': { atOnce: 4, run: () => Promise.resolve(sent) },
  };
};
