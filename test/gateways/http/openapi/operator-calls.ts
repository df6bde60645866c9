/** How each operation under /admin/v1 is called so that it answers as its example says. */
import type { Call } from './calls.ts';

export const operatorCalls: { readonly [operation: string]: Call } = {
  readOpenApi: ({ galla }) => galla.nobody.get('/admin/v1/openapi.json'),

  setProviderSettings: async ({ galla, bodyOf }) => {
    const { projectId } = await galla.merchant();
    const path = `/admin/v1/projects/${projectId}/providers/wallet_b`;
    return galla.admin.send('PUT', path, { body: bodyOf('setProviderSettings') });
  },

  rotateReceiptKey: ({ galla }) => galla.admin.post('/admin/v1/receipt-keys'),
};
