import { describe, expect, test } from 'vitest';
import { en } from '../../../gateways/pages/texts/en.ts';
import { ne } from '../../../gateways/pages/texts/ne.ts';
import { samplesIn } from '../../browser/samples.ts';

/** What stays as it is in every language: names, amounts, references, and what programs are told. */
const sameInBoth: readonly RegExp[] = [
  /<bdi[^]*?<\/bdi>/g,
  /<strong><bdi[^]*?<\/strong>/g,
  /<p class="what">[^]*?<\/p>/g,
  /<span class="monogram"[^]*?<\/span>/g,
  /<span class="(?:code|unit)"[^]*?<\/span>/g,
  /<code>[^]*?<\/code>/g,
  /<nav class="languages"[^]*?<\/nav>/g,
  /\bNPR [\d,.]+/g,
  /\b(?:Wallet [ABC]|Bank A|QR A|QR|Galla|Example Store|Workshop seat)\b/g,
  /\b(?:pay_|returnUrl|INV-\d+)\b/g,
  // the claims of an address
  /“(?:success|initiated)”/g,
];

/** Everything that is read to a buyer: texts, labels and the title. */
function readIn(page: string): string {
  const labels = [
    ...page.matchAll(
      /\s(?:aria-label|alt|data-words|data-stays|data-copied|data-heading|data-how|data-again|placeholder)="([^"]*)"/g,
    ),
  ];
  const withoutSame = (text: string): string =>
    sameInBoth.reduce((rest, same) => rest.replace(same, ' '), text);
  const texts = withoutSame(page.replace(/<head>[^]*<\/head>/, titleIn(page)));
  const words = labels.map(([, label = '']) => label.replaceAll(/&quot;\w+&quot;:|\{n\}/g, ' ')).join(' ');
  return `${texts.replace(/<[^>]*>/g, ' ')} ${withoutSame(words)}`.replace(/&\w+;|&#\d+;/g, ' ');
}
const titleIn = (page: string): string =>
  (/<title>([^<]*)<\/title>/.exec(page)?.[1] ?? '').replace(/ · .*/, '');

/** Of texts: their kinds, and how many arguments they take. */
const shapeOf = (of: unknown): unknown => {
  if (typeof of === 'function') return of.length;
  if (typeof of !== 'object' || of === null) return typeof of;
  return Object.fromEntries(Object.entries(of).map(([name, each]) => [name, shapeOf(each)]));
};

test('both tables have the same texts, and none is empty', () => {
  expect(shapeOf(ne)).toEqual(shapeOf(en));
  const empty = (of: unknown): boolean =>
    of === '' || (typeof of === 'object' && of !== null && Object.values(of).some(empty));
  expect([en, ne].map(empty)).toEqual([false, false]);
});

describe.each(Object.entries({ ...samplesIn('ne').all, ...samplesIn('ne').auto }))(
  'the page %s',
  (name, page) => {
    test('has no English text in Nepali: each text is in the tables', () => {
      // a shop's own words, at their limits
      if (['chooser-longest', 'chooser-hostile'].includes(name)) return;
      expect(readIn(page).match(/[A-Za-z]{2,}/g) ?? []).toEqual([]);
    });

    test('says that it is in Nepali, and offers the other language', () => {
      expect(page).toContain('<html lang="ne">');
      expect(page).toMatch(/<a href="\/(?:pay|link|invoice)\/[^"]*\?lang=en" lang="en" hreflang="en"/);
    });
  },
);

test('a text outside the tables is noticed', () => {
  expect(readIn('<p>यो Pay now हो <b>Wallet B</b></p>').match(/[A-Za-z]{2,}/g)).toEqual(['Pay', 'now']);
});
