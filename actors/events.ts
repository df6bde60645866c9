/** All event kinds, and a sample of each, built by the same functions that build the
 *  real ones.
 *  Boundary: a sample describes nothing real; its envelope is marked as a test. */
import { kinds } from './cast.ts';
import { envelopeText } from './event-log/envelope.ts';
import { apiVersion } from '../src/kernel/api-releases.ts';
import type { Kind, MakeSample, SampleData, SampleOf } from './kind.ts';

const every: readonly Kind[] = kinds;
const samples: ReadonlyMap<string, MakeSample> = new Map(
  every.flatMap(({ events = {} }) => Object.entries(events)),
);

/** The kinds of events; each has a sample. */
export const eventKinds: readonly string[] = [...samples.keys()];

export const isEventKind = (kind: string): boolean => samples.has(kind);

/** The body of a test of this kind, an envelope with `"test": true`. Throws for an unknown kind. */
export function sampleEnvelope(type: string, of: SampleOf): string {
  const { eventId: id, now: at, scope } = of;
  return envelopeText({ id, type, at, scope, object: sampleOf(type, of), test: true });
}

/** An event that a merchant makes up: a sample of this kind with top-level fields replaced by theirs. Throws
 *  for an unknown kind. */
export function madeUpEvent(
  type: string,
  of: Omit<SampleOf, 'endpoint'>,
  fields: { readonly [field: string]: unknown },
): { readonly envelope: string; readonly objectId: string } {
  const sample = sampleOf(type, { ...of, endpoint: sampleEndpoint(of) });
  // what is not an API object tells its data by itself
  const shown = JSON.parse(JSON.stringify(sample)) as { readonly [field: string]: unknown };
  const data = { ...shown, ...fields };
  const { id = of.eventId, sequence = sample.sequence } = data;
  const object = {
    sequence: Number.isSafeInteger(sequence) ? Number(sequence) : sample.sequence,
    toJSON: () => data,
  };
  const { eventId, now: at, scope } = of;
  return {
    envelope: envelopeText({ id: eventId, type, at, scope, object, test: true }),
    objectId: typeof id === 'string' && id.length <= objectIdCharactersMax ? id : eventId,
  };
}

/** No id of the service is longer. */
const objectIdCharactersMax = 64;

function sampleOf(type: string, of: SampleOf): SampleData {
  const make = samples.get(type);
  if (make === undefined) throw new Error(`no sample of ${type}`);
  return make(of);
}

/** For an event that is sent to no endpoint in particular. */
const sampleEndpoint = ({ now }: Pick<SampleOf, 'now'>): SampleOf['endpoint'] => ({
  id: 'we_00000000000000000000samp',
  state: {
    status: 'enabled',
    url: 'https://shop.example/hooks',
    events: ['*'],
    description: 'Orders',
    sealedSecret: '',
    apiVersion,
    failingSince: null,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  },
});
