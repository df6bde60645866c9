import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { html, page, type Html } from '../../../gateways/pages/html.ts';

const attack = `"><script>alert('x')</script>\`<img src=x onerror=alert(1)>&amp;`;

describe('a value in a template', () => {
  test('is text, whatever it contains', () => {
    expect(html`<p>${attack}</p>`.toString()).toBe(
      '<p>&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&#96;&lt;img src=x onerror=alert(1)&gt;&amp;amp;</p>',
    );
  });

  test('cannot leave a quoted attribute or begin a tag', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            '<',
            '>',
            '"',
            "'",
            '`',
            '&',
            '=',
            '/',
            '!',
            ' ',
            'a',
            ';',
            '\u0000',
            '\n',
            'क',
          ),
        }),
        (text) => {
          const out = html`<p title="${text}">${text}</p>`.toString();
          const inside = /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(out);
          expect(inside).not.toBeNull();
          expect(inside?.[1]).not.toMatch(/[<>'`]/);
        },
      ),
    );
  });

  test('is markup only when the template itself made it', () => {
    const forged = { toString: () => '<b>', text: '<b>' } as unknown as Html;
    expect(html`<p>${html`<b>${'<'}</b>`}</p>`.toString()).toBe('<p><b>&lt;</b></p>');
    expect(() => html`<p>${[forged]}</p>`).toThrow('a hole holds');
    expect(() => html`<p>${JSON.parse('{"text":"<b>"}') as Html}</p>`).toThrow('a hole holds');
  });

  test('may be a list, a number, or nothing', () => {
    expect(html`${[html`<i>${1}</i>`, [html`<i>${2}</i>`]]}${null}${false}`.toString()).toBe(
      '<i>1</i><i>2</i>',
    );
  });

  test('as a link is http, https or our own path, else it is dropped', () => {
    const hrefOf = (address: string): string =>
      /href="([^"]*)"/.exec(html`<a href="${address}">x</a>`.toString())?.[1] ?? '';
    expect(hrefOf('https://shop.example/a?b=1&c=2#d')).toBe('https://shop.example/a?b=1&amp;c=2#d');
    expect(hrefOf('http://127.0.0.1:8080/x')).toBe('http://127.0.0.1:8080/x');
    expect(hrefOf('/pay/cs_1')).toBe('/pay/cs_1');
    for (const bad of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java\tscript:alert(1)',
      ' javascript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'pay',
      '',
    ])
      expect(hrefOf(bad)).toBe('#');
  });

  test('as an image source may be an image data URL, and no other data URL', () => {
    expect(html`<img src="${'data:image/png;base64,AA=='}">`.toString()).toContain('data:image/png');
    expect(html`<img src="${'data:text/html,x'}">`.toString()).toBe('<img src="#">');
  });
});

describe('a template that cannot be made safe is a defect and throws', () => {
  test.each<readonly [string, () => Html]>([
    ['a bare attribute value', () => html`<p title=${'x'}>`],
    ['an attribute of its own', () => html`<p ${'x'}>`],
    ['the name of a tag', () => html`<p><${'x'}>`],
    ['script', () => html`<script>${'x'}</script>`],
    ['style', () => html`<style>${'x'}</style>`],
    ['a style attribute', () => html`<p style="${'x'}">`],
    ['an event handler', () => html`<p onclick="${'x'}">`],
    ['a comment', () => html`<!-- ${'x'} -->`],
    ['markup in an attribute', () => html`<p title="${html`<b>`}">`],
  ])('a hole in %s', (_where, make) => {
    expect(make).toThrow();
  });
});

test('a line break inside a sentence or a tag becomes a space, so texts can be searched', () => {
  expect(
    html`<p
class="a">one
two</p>`.toString(),
  ).toBe('<p class="a">one two</p>');
});

describe('the frame', () => {
  const frame = page({
    title: 'A & B',
    stylesheet: '/ui/a.css',
    body: html`<p>x</p>`,
    refresh: { seconds: 2, to: '/pay/a?b=1&c=2' },
  });

  test('is a whole document in a named language with an escaped title', () => {
    expect(frame).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(frame).toContain('<title>A &amp; B</title>');
    expect(frame).toContain('<meta http-equiv="refresh" content="2;url=/pay/a?b=1&amp;c=2">');
  });

  test('refreshes only to an address', () => {
    const bad = page({
      title: 'x',
      stylesheet: '/ui/a.css',
      body: html``,
      refresh: { seconds: 1, to: 'javascript:alert(1)' },
    });
    expect(bad).toContain('content="1;url=#"');
  });
});
