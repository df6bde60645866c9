/** POST /pay/{sessionId}/start and /cancel. Checks run in this order, and the first failure is the answer:
 *  rate limit of this address's forms (429), session (404), suspension (403), form token (403), fields
 *  (400); then the session decides (409).
 *  1. Without a valid token the session is not asked for anything.
 *  2. The page shown afterwards is read from the session, never assumed. */
import { checkoutSessionAt, type SessionCommands } from '../../actors/checkout-session/commands.ts';
import type { Instructions, Provider } from '../../src/providers/answers.ts';
import { startProgressOf, type StartProgress } from '../../actors/checkout-session/page.ts';
import { attemptsMax } from '../../actors/checkout-session/steps.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Asking } from '../../src/runtime/model/client.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { originOf } from '../pages/headers.ts';
import { handoverPage } from '../pages/hosted/handover.ts';
import {
  busyPage,
  strangeFormPage,
  suspendedPage,
  unknownPage,
  wrongChoicePage,
} from '../pages/hosted/trouble.ts';
import { triesUsedUp } from '../pages/hosted/waiting.ts';
import { addressIn } from './address.ts';
import {
  again,
  pageModelOf,
  labelOf,
  onwardOf,
  pageReply,
  pageOrderOf,
  shown,
  waysOf,
  type PageModel,
} from './page-model.ts';
import { readerOf } from './device.ts';
import { isFormToken } from './form-token.ts';
import type { BuyerParts } from './parts.ts';
import { opensApp } from './pay.ts';
import { lone, seeOther, tooMany } from './replies.ts';
import { watchUntil } from '../live/watch-until.ts';

/** Our start call takes at most 10 s; a look-up of a running payment may come before it and take at most 3
 *  s. */
const startWaitMs: DurationMs = seconds(12);
/** Whoever has the id of a session is its buyer. */
const buyer: Asking = { by: 'buyer', scope: null };

export async function startDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const form = await formOf(parts, request);
  if ('refusal' in form) return form.refusal;
  const { model, fields } = form;
  const way = waysOf(model).find(({ id }) => id === fields.get('provider'));
  const variants = fields.getAll('variant');
  if (way === undefined || !variants.every((variant) => variant === 'web')) {
    return lone(400, wrongChoicePage(pathOf(model), model.locale));
  }
  if (way.health === 'down') return shown(model, { status: 409 });
  const address = addressIn(model.session, fields);
  if (address.is === 'incomplete') return shown(model, { status: 400, address: address.values });

  const command: SessionCommands['start'] = {
    paymentId: parts.mintPaymentId(model.id),
    // the chosen provider is one of the project's
    provider: way.id as Provider,
    variant: variants.length > 0 ? 'web' : null,
    language: model.locale.language,
    ...(address.is === 'given' ? { customerAddress: address.address } : {}),
  };
  const answer = await parts.client.ask(checkoutSessionAt(model.id), 'start', command, buyer);
  if (answer.is !== 'ok' && answer.is !== 'unknown') return refused(model, answer);
  // the attempt to watch, as the session named it: the running one when the same provider was picked again
  return startOutcome(model, answer.is === 'ok' ? answer.detail.paymentId : command.paymentId);
}

export async function cancelDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const form = await formOf(parts, request);
  if ('refusal' in form) return form.refusal;
  const answer = await parts.client.ask(checkoutSessionAt(form.model.id), 'cancel', {}, buyer);
  if (answer.is !== 'ok' && answer.is !== 'unknown') return refused(form.model, answer);
  const model = await again(form.model);
  return 'endedAt' in model.session ? seeOther(onwardOf(model)) : busy(model, 503);
}

type Form = { readonly model: PageModel; readonly fields: URLSearchParams } | { readonly refusal: DoorReply };

async function formOf(parts: BuyerParts, request: DoorRequest): Promise<Form> {
  const reader = readerOf(request);
  const { locale } = reader;
  const verdict = parts.limitForms(request.ip);
  if (verdict?.allowed === false) return { refusal: tooMany(verdict, locale) };
  const model = await pageModelOf(parts, request.params['sessionId'] ?? '', reader);
  if (model === null) return { refusal: lone(404, unknownPage(locale)) };
  if (model.shop.suspended !== null) return { refusal: lone(403, suspendedPage(model.shop, locale)) };
  const fields = new URLSearchParams(request.body.toString('utf8'));
  return isFormToken(parts.formKey, model.id, fields.get('token'))
    ? { model, fields }
    : { refusal: lone(403, strangeFormPage(pathOf(model), locale)) };
}

/** A refusal, or no answer: the page of the current state, with the reason where it adds something. */
async function refused(
  model: PageModel,
  answer: Exclude<AskResult, { is: 'ok' | 'unknown' }>,
): Promise<DoorReply> {
  if (answer.is === 'not_executed') return busy(model, 503);
  if (answer.is === 'internal') return busy(model, 500);
  if (answer.code === 'not_found') return lone(404, unknownPage(model.locale));
  const notice =
    answer.code === 'attempts_exhausted' ? { notice: triesUsedUp(attemptsMax, model.locale) } : {};
  return shown(await again(model), { status: 409, ...notice });
}

async function startOutcome(model: PageModel, paymentId: string): Promise<DoorReply> {
  const progress = await watchUntil(
    model.parts,
    model.id,
    async () => {
      const now = startProgressOf((await again(model)).session, paymentId);
      return now.is === 'under_way' ? null : now;
    },
    startWaitMs,
  );
  return afterStart(await again(model), progress);
}

/** Redirects to the provider; otherwise back to the page, which shows the result. */
function afterStart(model: PageModel, progress: StartProgress | null): DoorReply {
  if (progress?.is !== 'instructions') return seeOther(pathOf(model));
  const { instructions, provider } = progress;
  // no redirect: the page shows the code
  if (instructions.kind === 'qr') return seeOther(pathOf(model));
  if (originOf(instructions.url) === null) {
    model.parts.log.warn({ provider }, 'a provider named an invalid address for the buyer');
    return busy(model, 502);
  }
  if (instructions.kind === 'intent')
    return seeOther(model.isPhone ? `${pathOf(model)}?${opensApp}` : pathOf(model));
  return isPlain(instructions) ? seeOther(instructions.url) : handover(model, provider, instructions);
}

/** A plain address, with no form fields to send. */
const isPlain = ({ method, fields }: Instructions): boolean =>
  method === 'GET' && Object.keys(fields).length === 0;

const handover = (model: PageModel, provider: Provider, instructions: Instructions): DoorReply =>
  pageReply(
    model,
    {},
    handoverPage({
      ...instructions,
      locale: model.locale,
      sheet: pageOrderOf(model),
      label: labelOf(model, provider),
    }),
  );

const busy = (model: PageModel, status: 500 | 502 | 503): DoorReply =>
  lone(status, busyPage(pathOf(model), model.locale), status === 503 ? { 'Retry-After': '1' } : {});

const pathOf = ({ id }: PageModel): string => `/pay/${id}`;
