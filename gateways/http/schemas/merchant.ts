/** A merchant, as the operator sees it. */
import { Type } from 'typebox';
import { shown } from '../route/description.ts';
import { flag, integerOrNull, object, oneOf, orNull, text, time, urlOrNull } from './parts.ts';

export const plans = ['free', 'premium'] as const;

const suspension = object('Suspension', 'Since when and why a merchant is suspended.', {
  suspended_at: time('Since when.'),
  reason: text('Why, as the operator said it.'),
});

export const merchant = shown(
  object('Merchant', 'Who takes payments.', {
    id: text('Id of the merchant, `mer_...`.'),
    name: text('Its name; buyers see it.'),
    email: text('Its e-mail address, the login of the dashboard.'),
    plan: oneOf(plans, 'What it may use: Direct-QR and more need `premium`.'),
    suspended: flag('Its keys are refused, and nobody can start to pay it.'),
    suspension: orNull(suspension, 'null unless it is suspended.'),
    verified: flag('The operator has verified who it is.'),
    logoUrl: urlOrNull('The picture on its payment pages.'),
    shopUrl: urlOrNull('Where its shop is.'),
    createPerSecond: integerOrNull('Creations allowed each second. null: as everybody.'),
    projectId: text('Its project, `prj_...`: keys belong to it.'),
    createdAt: time('When it was created.'),
    updatedAt: time('When it last changed.'),
  }),
  {
    id: 'mer_wb794ytjb5hscwf8b0cr4dtc',
    name: 'Asha Books',
    email: 'asha@example.com',
    plan: 'free',
    suspended: false,
    suspension: null,
    verified: false,
    logoUrl: null,
    shopUrl: null,
    createPerSecond: null,
    projectId: 'prj_zp6bdkmm2j03vxsgwz06bvdk',
    createdAt: '2026-11-21T15:38:20.450Z',
    updatedAt: '2026-11-21T15:38:20.450Z',
  },
);

const { example } = merchant;

/** The merchant of the example after other calls. */
export const suspendedMerchant = shown(merchant.schema, {
  ...example,
  suspended: true,
  suspension: { suspended_at: '2026-11-21T16:02:11.318Z', reason: 'Document review is overdue.' },
  updatedAt: '2026-11-21T16:02:11.318Z',
});
export const changedMerchant = shown(merchant.schema, {
  ...example,
  plan: 'premium',
  verified: true,
  updatedAt: '2026-11-21T16:05:40.127Z',
});

const password = Type.Optional(
  text('The password that was made for it, shown this once. Absent if you chose one.'),
);

export const newMerchant = shown(
  object('NewMerchant', 'A merchant with its first project and its login.', {
    merchant: merchant.schema,
    project: object('NewProject', 'The project of a new merchant.', { id: text('Its id, `prj_...`.') }),
    password,
  }),
  { merchant: example, project: { id: example.projectId }, password: 'bP8mVtQ2x0yJ5sKe1RrW' },
);

export const login = shown(
  object('Login', 'How a merchant logs in to the dashboard.', {
    email: text('The e-mail address to log in with.'),
    password,
  }),
  { email: example.email, password: 'bP8mVtQ2x0yJ5sKe1RrW' },
);
