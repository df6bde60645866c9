/** The call of a simulated provider's server to ours: effect `callback.send` of a simulated payment. It says how the
 *  payment stands now, with the faults set for it.
 *  1. An answer other than 200 is a refusal: the payment tries again (actors/simulated-payment/callbacks.ts).
 *  2. Every call is recorded in the payment's log with its answer. */
import type {
  SimulatedPaymentCommands,
  SimulatedPaymentEffects,
} from '../../actors/simulated-payment/messages.ts';
import { has } from './faults.ts';
import { askPayment, knownPayment, spendFault, takeFaults, type Known, type PlayDeps } from './payments.ts';
import { simulatedBy } from './simulated.ts';
import type { ServerCall } from './simulated-provider.ts';

type Asked = SimulatedPaymentEffects['callback.send'];
type Outcome = SimulatedPaymentCommands['calledBack'];

/** Between the two calls of `double_callback`; real time. */
const secondCallMs = 50;

export async function callBack(deps: PlayDeps, { paymentId, call, held }: Asked): Promise<Outcome> {
  const known = await knownPayment(deps.client, paymentId, null);
  const url = known?.state.callbackUrl;
  const write = known === null ? undefined : simulatedBy(known.state.provider).callback;
  if (known === null || url === undefined || write === undefined) return { call, how: 'never' };
  const faults = await takeFaults(deps, known, known.state.provider, 'callback');
  if (has(faults, 'callback_never') !== null) return { call, how: 'never' };
  const delay = has(faults, 'callback_delay');
  if (delay !== null && !held) return { call, how: 'later', waitMs: delay.delayMs };
  const written = write(known, faults);
  const how = await sent(deps, known, url, written);
  if (has(faults, 'double_callback') !== null) {
    await spendFault(deps.client, known, 'double_callback');
    await deps.wait(secondCallMs);
    await sent(deps, known, url, written);
  }
  return { call, how };
}

async function sent(
  deps: PlayDeps,
  known: Known,
  url: string,
  { body, headers }: ServerCall,
): Promise<Outcome['how']> {
  const visited = await deps.visitor.call(url, body, headers);
  const response = visited.is === 'page' ? String(visited.status) : visited.is;
  await askPayment(deps.client, known, 'record', {
    call: 'callback',
    request: `POST ${url} ${body}`,
    response,
  });
  if (visited.is === 'elsewhere') return 'never';
  return visited.is === 'page' && visited.status === 200 ? 'taken' : 'refused';
}
