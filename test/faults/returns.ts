/** A buyer's return reaches us ten times at once, through any node: it results in one payment, reported once. */
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { logIn } from '../../src/cli/demo/paid.ts';
import type { Inflicted } from './cluster-faults.ts';
import type { Ground } from './ground.ts';
import { create } from './journey.ts';

const buyers = 4;
const times = 10;

export async function returnTenTimes(ground: Ground): Promise<Inflicted> {
  const hurtAt = Date.now();
  const problems = (await Promise.all(Array.from({ length: buyers }, () => oneBuyer(ground)))).flat();
  return { hurtAt, healedAt: Date.now(), note: `${buyers} buyers, ${times} returns each`, problems };
}

async function oneBuyer({ stage, nextCheckout }: Ground): Promise<readonly string[]> {
  const n = nextCheckout();
  const { id, checkoutUrl } = await create(stage, n);
  const wallet = await press(buttonFor(await open(checkoutUrl), 'provider', 'wallet_b'));
  const pay = buttonFor((await logIn(wallet)).value, 'do', 'pay');
  const sent = await fetch(pay.action, {
    method: 'POST',
    body: new URLSearchParams([...pay.fields]),
    redirect: 'manual',
  });
  const back = new URL(sent.headers.get('location') ?? '', pay.action).href;
  const pages = await Promise.all(Array.from({ length: times }, () => open(back)));
  const session = await stage.line.surely('read a session', async () => {
    const { status, body } = await stage.api.get(`/v1/checkout/${id}`);
    return status === 200 && body.at('status') === 'success' ? body : null;
  });
  stage.history.add({ is: 'paid_seen', n, sessionId: session.text('id') });
  return pages.filter(({ status }) => status >= 500).map(({ status }) => `a return was answered ${status}`);
}
