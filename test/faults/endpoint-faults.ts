/** Shops whose servers answer webhooks without end, a byte a second, with ten thousand headers, or not at all (F25). */
import { setTimeout as pause } from 'node:timers/promises';
import { BadEndpoints, badAnswers } from './bad-endpoints.ts';
import {
  calmly,
  measured,
  givesBack,
  holding,
  patientOf,
  type Outside,
  type OutsideFault,
  type Patient,
  type Suffered,
} from './outside.ts';
import { failedCreates } from './provider-faults.ts';

/** What may be read of an unwanted answer; the kernels' own buffers are most of it. */
const bytesTakenMax = 16 * 1024 * 1024;
const memoryMiBMax = 160;
const heardMsMax = 15_000;

/** Milliseconds from the answer of each create until its webhook arrived at the healthy shop; null: never. */
async function heardAfter({ merchant, shop }: Patient, count: number): Promise<readonly (number | null)[]> {
  const all: Promise<number | null>[] = [];
  for (let n = 0; n < count; n++) {
    const session = await calmly(() => merchant.checkout());
    const from = Date.now();
    const heard = shop.webhook(({ objectId }) => objectId === session.text('id'), heardMsMax);
    all.push(
      heard.then(
        ({ at }) => Math.max(0, at - from),
        () => null,
      ),
    );
    await pause(40);
  }
  return Promise.all(all);
}

const told = (waits: readonly (number | null)[]): string => {
  const sorted = waits.filter((one) => one !== null).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
};

async function badEndpoints(outside: Outside): Promise<Suffered> {
  const patient = await patientOf(outside, 25);
  const bad = await BadEndpoints.open();
  const count = outside.long ? 200 : 40;
  const before = await heardAfter(patient, count);
  const held = holding(outside.service());
  for (const answer of badAnswers)
    await calmly(() =>
      patient.merchant.api.must('POST', '/v1/webhooks', { url: bad.url(answer), events: ['*'] }),
    );
  const {
    result: meanwhile,
    figures,
    failed,
  } = await measured(outside, async () => {
    const waits = await heardAfter(patient, count);
    // whoever is given 15 s has them
    await pause(outside.long ? 20_000 : 4000);
    return waits;
  });
  const { rssMiB } = holding(outside.service());
  const lost = [...before, ...meanwhile].filter((one) => one === null).length;
  const problems = [...failedCreates(failed)];
  if (lost > 0) problems.push(`${lost} webhooks of a healthy endpoint did not come in ${heardMsMax} ms`);
  // else others fill it at the same time
  if (outside.alone && rssMiB > held.rssMiB + memoryMiBMax)
    problems.push(`${(rssMiB - held.rssMiB).toFixed(0)} MiB more than before`);
  await bad.close();
  const { gigabyte } = bad.seen;
  const each = gigabyte.bytes / Math.max(1, gigabyte.requests);
  if (each > bytesTakenMax) problems.push(`${each.toFixed(0)} bytes of a gigabyte were taken each time`);
  problems.push(...(await givesBack(outside, held)));
  await patient.close();
  const requests = badAnswers.map((answer) => `${answer} ${bad.seen[answer].requests}`).join(', ');
  return {
    figures: [
      `webhooks of a healthy endpoint of the same merchant: ${told(before)} before, ${told(meanwhile)} meanwhile`,
      `requests to the others: ${requests}; of each gigabyte ${(each / 1024).toFixed(0)} KiB were sent before the end`,
      ...figures,
    ],
    problems,
  };
}

export const endpointFaults: readonly OutsideFault[] = [
  {
    id: 'F25',
    title: 'endpoints answer 1 GB, a byte a second, 10,000 headers, or never',
    inflict: badEndpoints,
  },
];
