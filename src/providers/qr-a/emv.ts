/** Reads the text of a QR code (EMVCo merchant-presented mode), to see whether buyers may be shown it.
 *  Boundary: pure; the text itself is passed on as it came.
 *  1. Only a text that is whole, sums up and asks for our amount in our currency is shown to anybody. */
import { paisaFromRupees, type Paisa } from '../../kernel/money.ts';

/** More than version 40 of a QR code holds at error level M is no code. */
export const qrTextCharactersMax = 1000;
const currencyNumber = '524';

/** What is wrong with the text; null when nothing is. `amount` is what it must ask for. */
export function qrTextProblem(text: string, amount: Paisa): string | null {
  if (text === '' || text.length > qrTextCharactersMax) return 'is no QR text';
  const tags = tagsIn(text);
  if (tags === null) return 'is not well formed';
  if (tags.at(-1)?.id !== '63' || checksumOf(text.slice(0, -4)) !== text.slice(-4)) return 'has a wrong CRC';
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

/** The tags, `00` first; null when the text is not made of them alone. */
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

/** A tag that stands there twice says nothing. */
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
