/** Reads the wire's sample texts, one exchange per file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireReply } from '../../../src/providers/provider.ts';

const folder = (provider: string): string =>
  join(import.meta.dirname, '../../../src/providers', provider, 'samples');

export const samplesOf = (provider: string) => ({
  names: (): readonly string[] => readdirSync(folder(provider)).map((file) => file.replace('.txt', '')),
  /** The body of a request, or `<status> <body>` of a reply. */
  text: (name: string): string => readFileSync(join(folder(provider), `${name}.txt`), 'utf8').trimEnd(),
  reply(name: string): WireReply {
    const text = this.text(name);
    return { status: Number(text.slice(0, 3)), headers: {}, text: text.slice(4) };
  },
});
