/** Names a client sent that nobody reads: they are ignored, and said back in `X-Ignored-Params`. */
import { beginning } from '../../../src/kernel/text.ts';
import type { Headers } from './reply.ts';

const ignoredParamsMax = 20;
const ignoredParamCharactersMax = 100;
/** Of the whole header's value: proxies refuse long ones. */
const headerBytesMax = 2048;

/** The headers with the ignored names beside them, the first twenty; as they are when there is none. */
export function withIgnored(headers: Headers, ignored: readonly string[]): Headers {
  if (ignored.length === 0) return headers;
  let value = '';
  for (const name of ignored.slice(0, ignoredParamsMax)) {
    const next = value === '' ? inHeader(name) : `${value},${inHeader(name)}`;
    if (next.length > headerBytesMax) break;
    value = next;
  }
  return { ...headers, 'X-Ignored-Params': value };
}

/** A name as it was sent; what a list in a header cannot hold is percent-encoded. */
const inHeader = (name: string): string =>
  beginning(name, ignoredParamCharactersMax).replace(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
