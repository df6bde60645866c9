import { describe, expect, test } from 'vitest';
import { samples, autoSamples } from '../../browser/samples.ts';

const pages = Object.entries({ ...samples, ...autoSamples });
const sample = (name: string): string => samples[name] ?? '';

describe.each(pages)('the page %s', (_name, page) => {
  test('has one h1 heading, in main, and a title with the same meaning', () => {
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page).toMatch(/<main class="act"[^>]*>[^]*<h1[^]*<\/main>/);
    expect(/<title>([^<]*)<\/title>/.exec(page)?.[1]?.length).toBeGreaterThan(4);
  });

  test('carries no style, script or handler inline and loads nothing from elsewhere', () => {
    for (const [tag] of page.matchAll(/<[a-z][^>]*>/gi)) {
      expect(tag).not.toMatch(/^<(?:style|iframe|object|embed|base)\b|\sstyle=|\son[a-z]+=/i);
    }
    for (const [, address] of page.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]*)"/g)) {
      expect(address).toMatch(/^(?:\/ui\/[\w-]+\.(?:css|js|svg)|data:,|data:image\/png;base64,[\w+/=]+)$/);
    }
    expect(page.replaceAll(/<script src="\/ui\/[^"]+" defer><\/script>/g, '')).not.toMatch(/<script/i);
  });

  test('posts only with a form token, and only by real buttons', () => {
    for (const [form] of page.matchAll(/<form method="post"\s+action="\/pay[^]*?<\/form>/g)) {
      expect(form).toContain('name="token"');
      expect(form).toMatch(/<button[^>]*type="submit"/);
    }
  });

  test('closes all elements', () => {
    for (const tag of [
      'div',
      'main',
      'header',
      'footer',
      'form',
      'p',
      'ul',
      'li',
      'span',
      'dl',
      'h1',
      'button',
      'bdi',
      'fieldset',
      'details',
    ]) {
      expect([tag, page.match(new RegExp(`<${tag}[\\s>]`, 'g'))?.length]).toEqual([
        tag,
        page.match(new RegExp(`</${tag}>`, 'g'))?.length,
      ]);
    }
  });
});

describe("a merchant's text", () => {
  test('is shown as written and has no effect as markup', () => {
    const page = sample('chooser-hostile');
    expect(page).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;',
    );
    expect(page).not.toMatch(/<script>|<img src=x|javascript:/);
  });

  test('cannot turn the direction of the text around it', () => {
    expect(sample('chooser-hostile')).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    expect(sample('chooser-hostile')).toContain('<bdi>');
  });

  test('written in Devanagari is marked as Nepali', () => {
    expect(sample('chooser-devanagari')).toContain('<bdi lang="ne">हिमालय पुस्तक पसल');
    expect(sample('chooser-devanagari')).toContain('NPR 10,00,000.00');
  });
});

test('the order is read before the choice, and the choice before the footer', () => {
  const page = sample('chooser');
  const places = [
    'role="note"',
    '<header',
    'Payment to',
    'NPR 1,250.50',
    '<main',
    '<h1',
    'Wallet A',
    'Cancel and go',
    '<footer',
  ].map((text) => page.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('without script the choice looks again now and then; what is typed into it is kept until its time is over', () => {
  expect(sample('chooser')).toContain('<noscript><meta http-equiv="refresh" content="30;url=/pay/');
  expect(sample('chooser-address')).toContain('<noscript><meta http-equiv="refresh" content="1682;url=/pay/');
});

test('progress is announced politely, errors assertively', () => {
  for (const name of ['checking', 'undecided', 'opening', 'review', 'success'])
    expect(sample(name)).toContain('role="status"');
  for (const name of ['chooser-declined', 'away-no-more-tries', 'chooser-address'])
    expect(sample(name)).toContain('role="alert"');
});
