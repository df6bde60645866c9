/** The credentials of every sandbox project for wallet_c. They are public, and valid nowhere but in a
 *  simulator. */
export const simulatorCredentials = {
  merchantId: 'MRC100',
  clientId: 'client_1',
  clientApiKey: 'apikey_1',
  clientSecret: 'test_client_secret',
  webhookSecret: 'test_webhook_secret',
} as const;
