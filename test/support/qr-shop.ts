/** A merchant whose plan has Direct-QR, and the phone his codes are scanned with. */
import type { Body } from '../../src/cli/demo/api.ts';
import { StreamReader, type Opening } from '../gateways/sse/reader.ts';
import type { House } from './galla.ts';
import { Merchant } from './merchant.ts';

export const buyer = { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' };

/** A merchant on the premium plan. */
export async function premium({ admin, key, with: client }: House): Promise<Merchant> {
  const made = { name: 'Qr Pasal', email: `qr${performance.now()}@example.com`, plan: 'premium' };
  const projectId = (await admin.must('POST', '/admin/v1/merchants', made)).body.text('project.id');
  const [secret, publishable] = [
    await key(projectId, { kind: 'secret', mode: 'sandbox' }),
    await key(projectId, { kind: 'publishable', mode: 'sandbox' }),
  ];
  return new Merchant(projectId, client(secret), client(publishable));
}

export const code = async (shop: Merchant, fields: object = {}): Promise<Body> =>
  (await shop.api.must('POST', '/v1/qr/qr_a', { amount: 125_050, customer: buyer, ...fields })).body;

/** Presses a button of the simulated bank app: `scan` or `pay`. */
export async function phone({ api }: Merchant, qrMessage: string, button: string): Promise<void> {
  const answer = await fetch(`${api.baseUrl}/sim/qr_a/`, {
    method: 'POST',
    body: new URLSearchParams({ prn: qrMessage, do: button }),
    redirect: 'manual',
  });
  if (answer.status !== 303) throw new Error(`the phone was answered ${answer.status}`);
}

export async function paymentOf({ api }: Merchant, session: Body): Promise<Body> {
  const { body } = await api.must('GET', `/v1/payments?sessionId=${session.text('id')}`);
  const [payment] = body.list('data');
  if (payment === undefined) throw new Error('a session has its payment');
  return payment;
}

/** A busy cluster may take its time over what a quiet node does at once. */
const patienceMs = 30_000;

/** Opens the stream of a session at one node. */
export const streamAt = (url: string, id: string, opening: Partial<Opening> = {}): Promise<StreamReader> =>
  StreamReader.open({
    port: Number(new URL(url).port),
    path: `/v1/qr/${id}/events`,
    patienceMs,
    ...opening,
  });
