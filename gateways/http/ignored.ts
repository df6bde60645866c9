/** Names a client sent that nobody reads: they are ignored, and said back in `X-Ignored-Params` (decisions 2). */
import type { Headers } from './reply.ts';

const ignoredParamsMax = 20;
const ignoredParamCharactersMax = 100;

/** The headers with the ignored names beside them, the first twenty; as they are when there is none. */
export function withIgnored(headers: Headers, ignored: readonly string[]): Headers {
  if (ignored.length === 0) return headers;
  return { ...headers, 'X-Ignored-Params': ignored.slice(0, ignoredParamsMax).map(inHeader).join(',') };
}

/** A name as it was sent; what a list in a header cannot hold is percent-encoded. */
const inHeader = (name: string): string =>
  Array.from(name)
    .slice(0, ignoredParamCharactersMax)
    .join('')
    .replace(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
