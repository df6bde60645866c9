/** What is outside of every engine, in a process of its own: wallet_b's wire (a payment is paid as soon as the buyer
 *  opens its page) and the shop that receives webhooks over TLS. It counts what reaches it, so that "exactly once" can be
 *  checked: payments started, and webhooks by id and by payment. */
import { randomBytes } from 'node:crypto';
import { App, SSLApp, us_socket_local_port, type HttpRequest, type HttpResponse } from 'uWebSockets.js';

const { SHOP_HOST = '127.0.0.1', TLS_KEY = '', TLS_CERT = '' } = process.env;

interface Payment {
  readonly amount: number;
  readonly returnUrl: string;
  readonly reference: string;
  paid: boolean;
}

const payments = new Map<string, Payment>();
/** The webhooks of payment.succeeded per session, by their ids: a second id would be a second report. */
let succeeded = new Map<string, Set<string>>();
let hooks = 0;
/** Drivers that wait for the webhook of a session. */
const waiting = new Map<string, () => void>();

const json = (res: HttpResponse, value: unknown, status = '200 OK'): void =>
  void res.cork(
    () =>
      void res.writeStatus(status).writeHeader('Content-Type', 'application/json').end(JSON.stringify(value)),
  );

function withBody(handle: (res: HttpResponse, body: string, id: string) => void) {
  return (res: HttpResponse, req: HttpRequest): void => {
    const id = req.getHeader('webhook-id');
    let text = '';
    let gone = false;
    res.onAborted(() => void (gone = true));
    res.onData((chunk, isLast) => {
      text += Buffer.from(chunk).toString('utf8');
      if (isLast && !gone) handle(res, text, id);
    });
  };
}

const root = (): string => `http://127.0.0.1:${providerPort}`;
let providerPort = 0;

App()
  .post(
    '/api/v2/epayment/initiate/',
    withBody((res, text) => {
      const asked = JSON.parse(text) as { amount: number; return_url: string; purchase_order_id: string };
      const pidx = randomBytes(12).toString('hex');
      payments.set(pidx, {
        amount: asked.amount,
        returnUrl: asked.return_url,
        reference: asked.purchase_order_id,
        paid: false,
      });
      const expires_at = new Date(Date.now() + 1_800_000).toISOString();
      json(res, { pidx, payment_url: `${root()}/page?pidx=${pidx}`, expires_at, expires_in: 1800 });
    }),
  )
  .post(
    '/api/v2/epayment/lookup/',
    withBody((res, text) => {
      const { pidx } = JSON.parse(text) as { pidx: string };
      const payment = payments.get(pidx);
      if (payment === undefined) return json(res, { detail: 'Not found.' }, '404 Not Found');
      json(res, {
        pidx,
        total_amount: payment.amount,
        status: payment.paid ? 'Completed' : 'Pending',
        transaction_id: payment.paid ? `TX${pidx}` : null,
        fee: 0,
        refunded: false,
      });
    }),
  )
  .get('/page', (res, req) => {
    const payment = payments.get(req.getQuery('pidx') ?? '');
    if (payment === undefined) return json(res, {}, '404 Not Found');
    payment.paid = true;
    const query = `pidx=${req.getQuery('pidx')}&status=Completed&purchase_order_id=${payment.reference}`;
    res.cork(
      () =>
        void res.writeStatus('303 See Other').writeHeader('Location', `${payment.returnUrl}?${query}`).end(),
    );
  })
  // Answers when the webhook of this session has come.
  .get('/hooked/:session', (res, req) => {
    const session = req.getParameter(0) ?? '';
    res.onAborted(() => void waiting.delete(session));
    const tell = (): void => json(res, {});
    if (succeeded.has(session)) tell();
    else waiting.set(session, tell);
  })
  .get('/ledger', (res) => {
    json(res, {
      started: payments.size,
      paid: [...payments.values()].filter(({ paid }) => paid).length,
      reported: succeeded.size,
      reportedTwice: [...succeeded.values()].filter((ids) => ids.size > 1).length,
      hooks,
    });
  })
  .post('/reset', (res) => {
    payments.clear();
    hooks = 0;
    succeeded = new Map();
    json(res, {});
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port for the provider');
    providerPort = us_socket_local_port(socket);
  });

SSLApp({ key_file_name: TLS_KEY, cert_file_name: TLS_CERT })
  .post(
    '/hook',
    withBody((res, text, id) => {
      res.cork(() => void res.end('ok'));
      hooks++;
      const event = JSON.parse(text) as { type: string; data: { sessionId?: string } };
      if (event.type !== 'payment.succeeded') return;
      const { sessionId = '' } = event.data;
      succeeded.set(sessionId, (succeeded.get(sessionId) ?? new Set()).add(id));
      waiting.get(sessionId)?.();
      waiting.delete(sessionId);
    }),
  )
  .listen(SHOP_HOST, 0, (socket) => {
    if (socket === false) throw new Error(`no port at ${SHOP_HOST}`);
    process.stdout.write(`${root()} hook https://${SHOP_HOST}:${us_socket_local_port(socket)}/hook\n`);
  });
