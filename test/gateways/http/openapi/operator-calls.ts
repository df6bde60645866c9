/** How each operation under /admin/v1 is called so that it answers as its example says. */
import type { Body } from '../../../../src/cli/demo/api.ts';
import { buttonFor, press } from '../../../../src/cli/demo/buyer.ts';
import { mintId } from '../../../../src/kernel/id.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Merchant } from '../../../support/merchant.ts';
import type { Call, Called, Stage } from './call.ts';

const created = async ({ galla, bodyOf }: Stage): Promise<Body> =>
  (await galla.admin.must('POST', '/admin/v1/merchants', bodyOf('createMerchant'))).body;

/** Sends the operation's own example about a new merchant. */
const toMerchant =
  (operation: string, path: string): Call =>
  async (stage) => {
    const id = (await created(stage)).text('merchant.id');
    return stage.galla.admin.post(`/admin/v1/merchants/${id}/${path}`, stage.bodyOf(operation));
  };

async function withKey(stage: Stage) {
  const path = `/admin/v1/projects/${(await created(stage)).text('project.id')}/keys`;
  const { admin } = stage.galla;
  const { body } = await admin.must('POST', path, stage.bodyOf('createApiKey'));
  return { path, id: body.text('id') };
}

const order = {
  customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' },
  metadata: { order_id: '1001' },
};

async function underReview(shop: Merchant, sessionId: string): Promise<string> {
  return eventually(
    async () => {
      const id = (await shop.session(sessionId)).at('paymentId');
      return typeof id === 'string' && (await shop.payment(id)).at('needsReview') === true ? id : null;
    },
    () => `a review of ${sessionId}`,
  );
}

/** The provider names another amount than was asked for. */
async function doubted({ galla }: Stage): Promise<string> {
  const shop = await galla.merchant();
  const id = (await shop.checkout(order)).text('id');
  await shop.simulate(id, 'wrong_amount');
  return underReview(shop, id);
}

/** The provider's answer was unclear, and is clear by now. */
async function unclear({ galla }: Stage): Promise<string> {
  const shop = await galla.merchant();
  const session = await shop.checkout(order);
  const wallet = await shop.startAndLogIn(session);
  await shop.faults([{ call: 'lookup', kind: 'ambiguous' }]);
  await press(buttonFor(wallet, 'do', 'pay'));
  const id = await underReview(shop, session.text('id'));
  await shop.faults([]);
  return id;
}

const ended = async (stage: Stage, operation: string, id: string, how: string): Promise<Called> =>
  stage.galla.admin.post(`/admin/v1/payments/${id}/${how}`, stage.bodyOf(operation));

/** No client brings this about: an actor could not take it for a day. */
async function parked({ galla }: Stage): Promise<string> {
  const project = mintId('prj');
  const from = { kind: 'webhook_endpoint', id: mintId('we', project) };
  const id = `${from.kind}/${from.id}:7`;
  const command = { command: 'retry', data: {}, reason: 'internal' };
  const tell = { tell: `webhook_delivery/${mintId('whd', project)}`, ...command };
  await galla.node.park(from, `${project}:sandbox`, id, tell);
  return id;
}

export const operatorCalls: { readonly [operation: string]: Call } = {
  readOpenApi: ({ galla }) => galla.nobody.get('/admin/v1/openapi.json'),

  listProviderSettings: async ({ galla }) => {
    const { projectId } = await galla.merchant();
    return galla.admin.get(`/admin/v1/projects/${projectId}/providers?mode=sandbox`);
  },
  setProviderSettings: async ({ galla, bodyOf }) => {
    const { projectId } = await galla.merchant();
    const path = `/admin/v1/projects/${projectId}/providers/wallet_b`;
    return galla.admin.send('PUT', path, { body: bodyOf('setProviderSettings') });
  },

  createMerchant: ({ galla, bodyOf }) => galla.admin.post('/admin/v1/merchants', bodyOf('createMerchant')),
  listMerchants: async (stage) => {
    const since = (await created(stage)).text('merchant.createdAt');
    return stage.galla.admin.get(`/admin/v1/merchants?createdFrom=${since}`);
  },
  readMerchant: async (stage) => {
    const id = (await created(stage)).text('merchant.id');
    return stage.galla.admin.get(`/admin/v1/merchants/${id}`);
  },
  changeMerchant: async (stage) => {
    const id = (await created(stage)).text('merchant.id');
    const body = stage.bodyOf('changeMerchant');
    return stage.galla.admin.send('PATCH', `/admin/v1/merchants/${id}`, { body });
  },
  suspendMerchant: toMerchant('suspendMerchant', 'suspend'),
  unsuspendMerchant: toMerchant('unsuspendMerchant', 'unsuspend'),
  resetPassword: toMerchant('resetPassword', 'reset-password'),

  createApiKey: async (stage) => {
    const project = (await created(stage)).text('project.id');
    return stage.galla.admin.post(`/admin/v1/projects/${project}/keys`, stage.bodyOf('createApiKey'));
  },
  listApiKeys: async (stage) => stage.galla.admin.get((await withKey(stage)).path),
  revokeApiKey: async (stage) => stage.galla.admin.post(`/admin/v1/keys/${(await withKey(stage)).id}/revoke`),

  listReviews: async (stage) => {
    const since = new Date().toISOString();
    await doubted(stage);
    return stage.galla.admin.get(`/admin/v1/reviews?createdFrom=${since}`);
  },
  acceptPayment: async (stage) => ended(stage, 'acceptPayment', await unclear(stage), 'accept'),
  keepPayment: async (stage) => ended(stage, 'keepPayment', await doubted(stage), 'keep'),
  refundReviewedPayment: async (stage) =>
    ended(stage, 'refundReviewedPayment', await doubted(stage), 'refund'),
  dismissReview: async (stage) => ended(stage, 'dismissReview', await doubted(stage), 'dismiss'),

  rotateReceiptKey: ({ galla }) => galla.admin.post('/admin/v1/receipt-keys'),

  listNodes: ({ galla }) => galla.admin.get('/admin/v1/nodes'),
  listParkedCommands: async (stage) => {
    await parked(stage);
    return stage.galla.admin.get('/admin/v1/dead');
  },
  replayParkedCommand: async (stage) => {
    const id = encodeURIComponent(await parked(stage));
    return stage.galla.admin.post(`/admin/v1/dead/${id}/replay`);
  },
};
