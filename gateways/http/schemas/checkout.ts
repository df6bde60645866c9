/** The Checkout session object, as its merchant and as a publishable key see it, and the Direct-QR session. */
import { Type } from 'typebox';
import { checkoutProviders } from '../../../src/providers/catalog.ts';
import { shown } from '../route/description.ts';
import { metadataShown } from './metadata.ts';
import {
  currency,
  flag,
  integer,
  object,
  oneOf,
  oneOfOrNull,
  orNull,
  paisa,
  sequence,
  text,
  textOrNull,
  time,
  url,
  urlOrNull,
} from './parts.ts';

export const sessionStatuses = ['pending', 'initiated', 'success', 'failed', 'cancelled', 'expired'] as const;
export const sources = ['checkout', 'direct_qr', 'payment_link', 'invoice'] as const;

export const address = object('PostalAddress', 'A postal address.', {
  line1: text('Street, or ward.'),
  line2: textOrNull('More of it.'),
  city: text('City.'),
  state: textOrNull('State or province.'),
  postalCode: textOrNull('Postal code.'),
  country: textOrNull('Country.'),
});

const customer = object('Customer', 'Who pays, as you said when you created the session.', {
  name: textOrNull('Full name.'),
  email: textOrNull('E-mail address.'),
  phone: textOrNull('Phone number.'),
  address: orNull(address, 'The address you sent.'),
});

const id = text('Id of the session, `cs_...`.');
const flow = oneOf(
  ['hosted', 'redirect'],
  '`hosted`: the buyer chooses on our page. `redirect`: directly to `provider`, or a Direct-QR session.',
);
const provider = oneOfOrNull(
  checkoutProviders,
  "The running or last attempt's provider; of a redirect session always yours. null before the first attempt.",
);
const status = oneOf(
  sessionStatuses,
  '`pending`: no attempt is running. `initiated`: one is. The others are final, but ' +
    'for verified money that arrives later: it makes the session `success` with `late: ' +
    'true`.',
);
const expiresAt = time('When it expires.');

const fields = {
  id,
  livemode: flag('Whether real money moves: false in the sandbox.'),
  status,
  flow,
  provider,
  source: oneOf(sources, 'What made the session.'),
  amount: paisa('In paisa.'),
  currency,
  description: textOrNull('What is paid, as the buyer sees it.'),
  checkout_url: urlOrNull('The page to send the buyer to. null for a Direct-QR session, which has none.'),
  returnUrl: urlOrNull('Where the buyer returns to.'),
  cancelUrl: urlOrNull('Where the buyer goes after cancelling. null: to `returnUrl`.'),
  collectAddress: flag('Whether our page asks for an address.'),
};

const laterFields = {
  referenceId: textOrNull('Your own reference.'),
  paymentId: textOrNull('The successful payment, else the running one, else null.'),
  attempts: integer('How many payments were started so far.'),
  late: flag('The money arrived after the session had ended without it.'),
  needsReview: flag("A provider's answer about the money was unclear: a person must check it."),
  sequence,
  expires_at: expiresAt,
  createdAt: time('When you created it.'),
  updatedAt: time('When it last changed.'),
};

const about = 'What a buyer is asked to pay, once. The buyer may try several times: each try is a payment.';

export const checkoutSession = shown(
  object('CheckoutSession', about, {
    ...fields,
    customer: orNull(customer, 'Who pays. null when you sent none.'),
    customerAddress: orNull(address, 'The address that the buyer gave on our page.'),
    metadata: metadataShown,
    ...laterFields,
  }),
  {
    id: 'cs_wfr9z72rnbh2bzj55vtw6d93',
    livemode: false,
    status: 'pending',
    flow: 'hosted',
    provider: null,
    source: 'checkout',
    amount: 125_050,
    currency: 'NPR',
    description: 'Order 1001',
    checkout_url: 'https://pay.example.com/pay/cs_wfr9z72rnbh2bzj55vtw6d93',
    returnUrl: 'https://shop.example/return',
    cancelUrl: 'https://shop.example/basket',
    collectAddress: false,
    customer: {
      name: 'Asha Rai',
      email: 'asha@example.com',
      phone: '9800000000',
      address: {
        line1: 'Ward 4',
        line2: null,
        city: 'Patan',
        state: null,
        postalCode: null,
        country: null,
      },
    },
    customerAddress: null,
    metadata: { order_id: '1001' },
    referenceId: 'A-1001',
    paymentId: null,
    attempts: 0,
    late: false,
    needsReview: false,
    sequence: 1,
    expires_at: '2026-11-21T16:03:10.858Z',
    createdAt: '2026-11-21T15:33:10.858Z',
    updatedAt: '2026-11-21T15:33:10.858Z',
  },
);

/** Once the buyer has tried, with wallet_b. */
export const startedSession = shown(checkoutSession.schema, {
  ...checkoutSession.example,
  status: 'initiated',
  provider: 'wallet_b',
  paymentId: 'pay_wfvvvc5fkjjqm0pf',
  attempts: 1,
  sequence: 2,
});

const hidden = (what: string) => Type.Null({ description: `${what} is shown to secret keys only.` });

const publicSession = object(
  'PublicCheckoutSession',
  'A session as a publishable key sees it: without what is known about the buyer.',
  {
    ...fields,
    customer: hidden('Who pays'),
    customerAddress: hidden('The address'),
    metadata: hidden('Your own data'),
    ...laterFields,
  },
);

/** By either kind of key. */
export const sessionByAnyKey = {
  ...shown(Type.Union([checkoutSession.schema, publicSession]), checkoutSession.example),
  others: {
    publishableKey: { ...checkoutSession.example, customer: null, customerAddress: null, metadata: null },
  },
};

export const expiredSession = shown(
  object('ExpiredCheckoutSession', 'What is left of a session that was ended.', {
    id,
    status,
    flow,
    provider,
    expires_at: expiresAt,
  }),
  {
    id: 'cs_wfr9z72rnbh2bzj55vtw6d93',
    status: 'expired',
    flow: 'hosted',
    provider: null,
    expires_at: '2026-11-21T16:03:10.858Z',
  },
);

export const directQrSession = shown(
  object('DirectQrSession', 'A session that is paid by a QR code on your own screen.', {
    id,
    amount: paisa('In paisa.'),
    currency,
    provider: Type.Enum(['qr_a'], { description: 'The provider of the code.' }),
    status,
    qr_message: textOrNull("The provider's EMV text, checked and unchanged: what the code says."),
    qr_image: Type.String({
      description: 'The code as a PNG of 320 by 320 pixels, a data URL: the `src` of an image.',
    }),
    events_url: url('The event stream of this session: what happens to it, as it happens.'),
    expires_at: expiresAt,
  }),
  {
    id: 'cs_xhb0f0273zxk2qcf7a6ekcts',
    amount: 125_050,
    currency: 'NPR',
    provider: 'qr_a',
    status: 'initiated',
    qr_message:
      '00020101021226350011qra.example071622220000000000175204541153035245407' +
      '1250.505802NP5913EXAMPLE STORE6009KATHMANDU62320520pay-veb3e8z1a6feqypn0704000163046868',
    qr_image: [
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAUAAAAFAAQAAAADl65gHAAAC9ElEQVR4nO2aMW7rMBBE',
      'R1ChkkfQUXQzk74Zj6IjqFQhaD5mSDtykA+kDSkVgSM+u1iQs7O7BH/54AZv8AZv8FfgCj3ntC3pmJgBLM8jkOdEJi',
      '2NTYKRZD4Rsj5w2IHHuM0cuC1PvekdBOZMbgvHfc7nxPxwZBH4PIDYMHgCS+I+c9iDdtBM3OA1jsz6zwFNI9d4+pS1',
      'C5Z15nig7p5xQxx2/HS4ugOvirsu2j2SlOQ3/5Xmvw6W55w2KDzERD71dYXnhzTcG7hGTHodsj4smDY8dLjo3bPNaW',
      'wRJLVpoOyqPAMZEJ0Z7R65kN7B5HVgkXhketNIUvRH24hNgtpBZU1nhntgQmCSCYO8V9/gGg8ADt9Yv6E8g5JwPiSl',
      'R5DUFpNPlx+Rc2cSqOM26HfGFsEVDg83wLtHzt1VnFPwNif2DcZxxyKj6hQsoT0RlKYEh6uJawgs9bvWnXAktIPelh',
      'QUrtLcJ3jocLmMqVXcQ3GUpHyewpbAtSiJwqOSdbCQqrPBAr7D0ykIpWELyOt1kpIIfACXNNwUGM3YsGNW7y9H+XS7',
      'te89gP5AWVel4eCAZRVvpzsfVlx85Zm2QKqKe2kLLKSHy/0anr5BO9JFjjSVNoh8uj5MNeGMLYJUDOS6SxFbGsKh5N',
      'zhCOsljj2C1YVJSUqZIkkph8v5+DJNaQh0VGp4SpyUVGlDft6g1osli9znLJNmxXVddxQdbg+UitTmVtVPH5V3xf6l',
      'PV2CxbC7iqtddBu1OLC6EHYNush9tZCVk+uZshp9bLOWQCvJV2fY1YnyDKtJQ+dguaLgfjlXT6NZxiruiX1ss4ZAP1',
      '5/K27ZPZsd6fcRW2dgnUC+wqfC5lmbgBpLz6lNsNxL0WDx9Y2nm1vqkH860j5B31VwkVsGTVKScn9HT8ugE6qs6XuG',
      'RN9a4vfwdArKsLsJqJxcp0qIGryNbYL1tg6g7Kpg+DqKMs/w6VK6BIviuve3l7lrbZhqLH2du7YE/uq5wRu8wY7Bf5',
      'Or84zlXxW3AAAAAElFTkSuQmCC',
    ].join(''),
    events_url: 'https://pay.example.com/v1/qr/cs_xhb0f0273zxk2qcf7a6ekcts/events',
    expires_at: '2026-11-20T09:18:00.000Z',
  },
);
