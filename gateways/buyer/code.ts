/** GET /pay/{sessionId}/code.png: the code of the running payment as a file. A buyer cannot scan a code
 *  shown on the same phone, but banking apps can open an image.
 *  1. A code that can no longer be paid is not served: a saved file outlives a page. */
import { displayNpr } from '../../src/kernel/money.ts';
import { remembering } from '../../src/kernel/remembering.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { qrPng } from '../http/qr-image.ts';
import { pageHeaders } from '../pages/headers.ts';
import { oldCodePage, suspendedPage, unknownPage } from '../pages/hosted/trouble.ts';
import { readerOf } from './device.ts';
import { codeOf, pageModelOf, type PageModel } from './page-model.ts';
import type { BuyerParts } from './parts.ts';
import { lone, tooMany } from './replies.ts';

/** An image takes 3 ms to make and is about 1 kB. */
const picturesRememberedMax = 500;
const pictureOf = remembering(qrPng, picturesRememberedMax);

export async function codeDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const reader = readerOf(request);
  const { locale } = reader;
  const verdict = parts.limitCodes(request.ip);
  if (verdict?.allowed === false) return tooMany(verdict, locale);
  const model = await pageModelOf(parts, request.params['sessionId'] ?? '', reader);
  if (model === null) return lone(404, unknownPage(locale));
  if (model.shop.suspended !== null) return lone(403, suspendedPage(model.shop, locale));
  const code = codeOf(model);
  if (code === null || code.endsAt <= model.now) return lone(404, oldCodePage(`/pay/${model.id}`, locale));
  return {
    status: 200,
    headers: {
      ...pageHeaders(),
      'Content-Type': 'image/png',
      'Content-Disposition': `attachment; filename="${fileNameOf(model)}"`,
    },
    body: pictureOf(code.text),
  };
}

/** `pay-NPR-1250.50.png`: the amount identifies it among many images. */
const fileNameOf = ({ session }: PageModel): string =>
  `pay-${displayNpr(session.order.amount).replace(' ', '-').replaceAll(',', '')}.png`;
