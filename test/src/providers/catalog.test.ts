import { expect, test } from 'vitest';
import { faultKindsOf, faultRules } from '../../../actors/simulated-payment/fault-kinds.ts';
import { settings } from '../../../src/config.ts';
import {
  catalog,
  checkoutProviders,
  directQrProvider,
  providerNames,
  traitsOf,
} from '../../../src/providers/catalog.ts';
import { providers } from '../../../src/providers/registry.ts';
import { sourcesIn } from '../../support/house.ts';

test('one kind of fault has one rule: it is declared either by one provider or for all', () => {
  const own = providerNames.flatMap((provider) => Object.keys(traitsOf(provider).faults));
  expect(new Set(own).size).toBe(own.length);
  // what all wires share must not be changed by one of them
  for (const provider of providerNames)
    expect(new Set(faultKindsOf(provider)).size).toBe(faultKindsOf(provider).length);
  expect(own.every((kind) => Object.hasOwn(faultRules, kind))).toBe(true);
});

test('a fault is offered by the providers whose protocol supports it', () => {
  const whoShows = (kind: string) =>
    providerNames.filter((provider) => faultKindsOf(provider).includes(kind));
  expect(whoShows('timeout')).toEqual(providerNames);
  expect(whoShows('lost_redirect')).toEqual(['wallet_a', 'wallet_b', 'bank_a', 'wallet_c']);
  expect(whoShows('bad_signature')).toEqual(['wallet_a', 'wallet_c']);
  expect(whoShows('amount_text')).toEqual(['wallet_a', 'wallet_c']);
  expect(whoShows('booking_short')).toEqual(['wallet_a']);
  expect(whoShows('deeplink_dead')).toEqual(['wallet_a']);
  expect(whoShows('socket_late')).toEqual(['qr_a']);
  expect(whoShows('refund_reject')).toEqual(['wallet_b']);
});

test('one provider has the codes of Direct-QR', () => {
  const shown = providerNames.filter((each) => traitsOf(each).directQr === true);
  expect(shown).toEqual([directQrProvider]);
});

test('each host has its settings, and no two providers share one', () => {
  const names = providerNames
    .map((provider) => [...new Set(Object.values(catalog[provider].liveHost))])
    .flat();
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !Object.hasOwn(settings, name))).toEqual([]);
});

test('every provider offered for a checkout can start a payment', () => {
  expect(checkoutProviders.filter((provider) => !providers.has(provider))).toEqual([]);
});

/** What is one provider's by its nature: the Direct-QR API, samples, stories of the demo, examples on a page and in
 *  the API's document. */
const namesOne = new RegExp(
  [
    'actors/checkout-session/(?:samples|direct-qr|qr-log)',
    'gateways/http/routes/(?:plans|qr|simulate)',
    'gateways/http/schemas/.*',
    'gateways/http/openapi/errors',
    'gateways/http/access/entitlements',
    'gateways/dashboard/web/words/settings',
    'gateways/simulator/home',
    'src/errors',
    'src/cli/demo/.*',
    'src/providers/(?:catalog|registry)',
    'gateways/simulator/simulated',
    '(?:src/providers|gateways/simulator)/(?:wallet|qr|bank)-[a-z]/.*',
  ]
    .map((path) => `^${path}\\.tsx?$`)
    .join('|'),
);

test('a provider is named in its own folders and in the lists of providers', () => {
  const named = ['src', 'actors', 'gateways'].flatMap(sourcesIn).flatMap(({ path, lines }) =>
    namesOne.test(path)
      ? []
      : lines
          .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line))
          .filter((line) => /\b(?:wallet|qr|bank)_[a-z]\b/.test(line))
          .map((line) => `${path}: ${line.trim()}`),
  );
  expect(named).toEqual([]);
});
