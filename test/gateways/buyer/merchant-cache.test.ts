import { expect, test } from 'vitest';
import { settingsOf, type ProviderSettings } from '../../../actors/project/messages.ts';
import { createMerchantCache, type ShopParts } from '../../../gateways/buyer/merchant-cache.ts';
import type { Provider } from '../../../src/providers/answers.ts';

const scope = 'prj_00000000000000000000000a:live';

/** A project, and how its providers are. */
class Shop {
  providers: readonly ProviderSettings[] = [];
  down: Provider | null = null;
  troubled: Provider | null = null;
  asked = 0;
  private forget: (projectId?: string) => void = () => undefined;

  readonly cache = createMerchantCache({
    client: {
      read: (to: { readonly kind: string }) =>
        Promise.resolve({
          state:
            to.kind === 'project' ? { merchantId: 'mer_1', providers: this.providers } : { name: 'Shop' },
        }),
    },
    auth: { onForget: (listener: typeof this.forget) => void (this.forget = listener) },
    now: () => 0,
    labels: new Map<Provider, string>([
      ['wallet_a', 'Wallet A'],
      ['wallet_b', 'Wallet B'],
    ]),
    isConfigured: (_projectId: string, { sealedCredentials }: ProviderSettings) => {
      this.asked++;
      return sealedCredentials !== null;
    },
    isDown: (provider: Provider) => provider === this.down,
    rates: { troubledIn: () => Promise.resolve(new Set(this.troubled === null ? [] : [this.troubled])) },
  } as unknown as ShopParts);

  has(provider: Provider, mode: 'live' | 'sandbox', order: number): void {
    const settings = { ...settingsOf(this.providers, provider, mode), order, sealedCredentials: 'sealed' };
    this.providers = [...this.providers, settings];
    this.forget();
  }

  async shown(of: string = scope): Promise<readonly string[]> {
    const found = await this.cache.providersOf(of as typeof scope);
    return found.map(({ id, label, configured, health }) => `${id} ${label} ${configured} ${health}`);
  }
}

test('the providers of a page are in the order of the project, each mode has its own', async () => {
  const shop = new Shop();
  shop.has('wallet_b', 'live', 0);
  expect(await shop.shown()).toEqual(['wallet_b Wallet B true up', 'wallet_a Wallet A false up']);
  const sandbox = scope.replace('live', 'sandbox');
  expect(await shop.shown(sandbox)).toEqual(['wallet_a Wallet A false up', 'wallet_b Wallet B false up']);
  shop.has('wallet_a', 'live', 0);
  expect(await shop.shown()).toContain('wallet_a Wallet A true up');
});

test('the list is made once for a project, and how each provider is now is asked for every page', async () => {
  const shop = new Shop();
  shop.has('wallet_a', 'live', 0);
  await shop.shown();
  const { asked } = shop;
  shop.down = 'wallet_a';
  shop.troubled = 'wallet_b';
  expect(await shop.shown()).toEqual(['wallet_a Wallet A true down', 'wallet_b Wallet B false degraded']);
  expect(shop.asked).toBe(asked);
});
