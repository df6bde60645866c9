/** Reads the text of a QR code (EMVCo merchant-presented mode) to check whether it may be shown to buyers.
 *  Boundary: pure; the text itself is passed on unchanged.
 *  1. A text is shown only if it is complete, its checksum is valid, and it requests our amount in our
 *     currency. */
import { paisaFromRupees, type Paisa } from '../../kernel/money.ts';

/** The limit of a version 40 QR code at error correction level M. */
const qrTextCharactersMax = 1000;
const currencyNumber = '524';

/** What is wrong with the text; null when nothing is. `amount` is the amount it must request. */
export function qrTextProblem(text: string, amount: Paisa): string | null {
  if (text === '' || text.length > qrTextCharactersMax) return 'is no QR text';
  const tags = tagsIn(text);
  if (tags === null) return 'is not well formed';
  // networks write its hex digits in either case
  const crc = text.slice(-4).toUpperCase();
  if (tags.at(-1)?.id !== '63' || checksumOf(text.slice(0, -4)) !== crc) return 'has a wrong CRC';
  const currency = onlyValue(tags, '53');
  if (currency !== currencyNumber) return 'is in another currency';
  const asked = onlyValue(tags, '54') ?? '';
  const paisa = /^\d{1,10}(?:\.\d{0,2})?$/.test(asked) ? paisaFromRupees(asked.replace(/\.$/, '')) : null;
  return paisa === amount ? null : 'asks for another amount';
}

interface Tag {
  readonly id: string;
  readonly value: string;
}

/** The tags, `00` first; null when the text contains anything else. */
function tagsIn(text: string): readonly Tag[] | null {
  const tags: Tag[] = [];
  for (let at = 0; at < text.length;) {
    const [head, id = '', length = ''] = /^(\d\d)(\d\d)/.exec(text.slice(at, at + 4)) ?? [];
    if (head === undefined) return null;
    const value = text.slice(at + 4, at + 4 + Number(length));
    if (value.length !== Number(length)) return null;
    tags.push({ id, value });
    at += 4 + value.length;
  }
  return tags[0]?.id === '00' && tags[0].value === '01' ? tags : null;
}

/** A duplicate tag has no value. */
function onlyValue(tags: readonly Tag[], wanted: string): string | null {
  const [first, ...more] = tags.filter(({ id }) => id === wanted);
  return first === undefined || more.length > 0 ? null : first.value;
}

/** CRC-16/CCITT-FALSE over the bytes of UTF-8, in four upper-case hex digits. */
export function checksumOf(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x11021 : 0);
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
