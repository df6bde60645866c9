/** Names sent by a client that no schema declares: they are ignored, and listed in `X-Ignored-Params`. */
import { beginning } from '../../../src/kernel/text.ts';
import type { Headers } from './reply.ts';

const ignoredParamsMax = 20;
const ignoredParamCharactersMax = 100;
/** Limit of the whole header value: proxies refuse long ones. */
const headerBytesMax = 2048;

/** Adds the first twenty ignored names to the headers; returns the headers unchanged when there is none. */
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

/** A name as it was sent; characters that a list in a header cannot hold are percent-encoded. */
const inHeader = (name: string): string =>
  beginning(name, ignoredParamCharactersMax).replace(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
