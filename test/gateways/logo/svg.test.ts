import { describe, expect, test } from 'vitest';
import { harmlessSvg } from '../../../gateways/logo/svg.ts';
import { svgLogo, svgOf } from '../../support/pictures.ts';

const rewritten = async (text: string): Promise<string> => {
  const svg = await harmlessSvg(Buffer.from(text));
  if (svg.is !== 'svg') throw new Error(svg.why);
  return svg.bytes.toString();
};
const refusal = async (text: string | Buffer): Promise<string> => {
  const svg = await harmlessSvg(Buffer.from(text));
  return svg.is === 'refused' ? svg.why : `accepted: ${svg.bytes.toString()}`;
};

test('a plain picture is written anew, and again without a change', async () => {
  const once = await rewritten(svgLogo);
  expect(once).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#0b5b48"></rect>' +
      '<path d="M18 32l10 10 18-20" fill="none" stroke="#fff" stroke-width="6"></path></svg>',
  );
  expect(await rewritten(once)).toBe(once);
});

test('gradients, clips, classes and text stay', async () => {
  const inside =
    '<defs><style>.a, .b{fill:url(#g);opacity:.5} .c{fill:rgb(1, 2, 3)}</style>' +
    '<linearGradient id="g" xlink:href="#h"><stop offset="0" stop-color="red"/></linearGradient>' +
    '<clipPath id="k"><rect width="9" height="9"/></clipPath></defs>' +
    '<g clip-path="url(#k)"><circle class="a" r="4" style="stroke: url(\'#h\')"/><text x="1">Asha &amp; Co &lt;3</text></g>';
  const found = await rewritten(svgOf(inside));
  expect(found).toContain('<style>.a, .b{fill:url(#g);opacity:.5} .c{fill:rgb(1, 2, 3)}</style>');
  expect(found).toContain('<linearGradient id="g" href="#h">');
  expect(found).toContain('clip-path="url(#k)"');
  expect(found).toContain('<text x="1">Asha &amp; Co &lt;3</text>');
});

test('what editors leave in a file is left out', async () => {
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="no"?><!-- made with an editor -->';
  const inside =
    '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><script/></rdf:RDF></metadata>' +
    '<e:view xmlns:e="http://editor.example/ns" e:onload="x"><circle r="9"/></e:view>' +
    '<g xmlns:e="http://editor.example/ns" e:label="Layer" data-name="x" xml:space="preserve"><rect width="1"/></g>';
  expect(await rewritten(svgOf(inside, head))).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><g><rect width="1"></rect></g></svg>',
  );
});

describe('refused, with what it must be without', () => {
  test.each([
    ['a script', svgOf('<script>alert(1)</script>'), '<script>'],
    ['a script in capitals', svgOf('<SCRIPT>alert(1)</SCRIPT>'), '<SCRIPT>'],
    [
      'a script behind a prefix',
      '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script/></s:svg>',
      '<script>',
    ],
    ['a script of HTML', svgOf('<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>'), 'HTML'],
    ['an event handler', svgOf('<rect onload="alert(1)"/>'), 'event handlers (onload)'],
    ['an event handler on the root', svgLogo.replace('<svg ', '<svg onLoad="alert(1)" '), 'event handlers'],
    ['HTML inside', svgOf('<foreignObject><p/></foreignObject>'), '<foreignObject>'],
    ['another picture', svgOf('<image href="https://evil.example/x.png"/>'), '<image>'],
    ['an embedded picture', svgOf('<image xlink:href="data:image/png;base64,AA=="/>'), '<image>'],
    ['a link', svgOf('<a href="https://evil.example"><rect/></a>'), '<a>'],
    ['copies', svgOf('<use href="#a"/>'), '<use>'],
    ['an animation', svgOf('<rect><animate attributeName="x" to="9"/></rect>'), '<animate>'],
    ['a change of attributes', svgOf('<rect><set attributeName="onload" to="x"/></rect>'), '<set>'],
    ['a filter', svgOf('<filter id="f"/>'), '<filter>'],
    ['a gradient of another file', svgOf('<linearGradient href="//evil.example/a#b"/>'), 'references'],
    ['a script as an address', svgOf('<linearGradient xlink:href="javascript:alert(1)"/>'), 'references'],
    ['a colour from another file', svgOf('<rect fill="url(https://evil.example/a)"/>'), 'references'],
    ['a quoted address', svgOf('<rect fill="url(\'//evil.example/a\')"/>'), 'references'],
    ['an address in a style', svgOf('<rect style="fill:url(data:x)"/>'), 'references'],
    ['an address in capitals', svgOf('<rect style="fill:URL(https://evil.example)"/>'), 'references'],
    [
      'an address spelled with escapes',
      svgOf('<rect style="fill:u\\72l(https://evil.example)"/>'),
      'references',
    ],
    ['an address by entity', svgOf('<rect fill="u&#114;l(https://evil.example)"/>'), 'references'],
    ['an import', svgOf('<style>@import "https://evil.example/a.css";</style>'), 'styles'],
    ['a font', svgOf('<style>@font-face{src:url(https://evil.example)}</style>'), 'styles'],
    ['a style with an address', svgOf('<style>.a{fill:url(https://evil.example)}</style>'), 'styles'],
    [
      'a style in two parts',
      svgOf('<style>.a{fill:u<![CDATA[rl(https://evil.example)]]>}</style>'),
      'styles',
    ],
    ['a style for an element', svgOf('<style>rect{clip-path:url(#a)}</style>'), 'styles'],
    ['an open style', svgOf('<style>.a{fill:red</style>'), 'styles'],
    ['a document type', `<!DOCTYPE svg>${svgLogo}`, '<!DOCTYPE>'],
    [
      'entities',
      `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>${svgOf('<text>&b;</text>')}`,
      '<!DOCTYPE>',
    ],
    ['a style sheet', `<?xml-stylesheet href="https://evil.example/a.css"?>${svgLogo}`, 'processing'],
    ['no picture', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'HTML'],
    ['another root', '<rect xmlns="http://www.w3.org/2000/svg"/>', 'another element around <svg>'],
    ['an SVG in an SVG', svgOf('<svg/>'), '<svg>'],
    ['too many elements', svgOf('<g/>'.repeat(5001)), 'more than 5000 elements'],
    ['too deep', svgOf('<g>'.repeat(80) + '</g>'.repeat(80)), 'more than 64 levels'],
    [
      'too deep in what is left out',
      svgOf(`<metadata>${'<a>'.repeat(80)}${'</a>'.repeat(80)}</metadata>`),
      'more than 64',
    ],
  ])('%s', async (_what, text, why) => {
    expect(await refusal(text)).toContain(why);
  });

  test.each([
    ['nothing', ''],
    ['text', 'a logo'],
    ['no XML', svgLogo.replace('</svg>', '')],
    ['an entity that nobody knows', svgOf('<text>&logo;</text>')],
    ['two roots', svgLogo + svgLogo],
    ['an attribute twice', svgOf('<rect x="1" x="2"/>')],
  ])('%s is not well-formed', async (_what, text) => {
    expect(await refusal(text)).toBe('in well-formed XML');
  });

  test('other encodings', async () => {
    expect(await refusal(Buffer.from([0xff, 0xfe, 0x3c, 0x00]))).toBe('in UTF-8');
  });
});

test('a clip cannot be clipped again: drawing takes no exponential time', async () => {
  const inside =
    '<style>.c{clip-path:url(#b)}</style><clipPath id="a"><rect class="c" style="clip-path:url(#b)" clip-path="url(#b)"/></clipPath>';
  expect(await rewritten(svgOf(inside))).toContain('<clipPath id="a"><rect></rect></clipPath>');
});

test('the worst input of 256 KiB takes a moment', async () => {
  const fill = (text: string): string => text.repeat(Math.floor((250 * 1024) / text.length));
  const worst = [
    svgOf(`<style>${fill('a')}</style>`),
    svgOf(`<style>.a{${fill(' ')}}${fill(' ').slice(0, 1000)}</style>`),
    svgOf(`<rect style="${fill('/*')}"/>`),
    svgOf(`<rect style="${fill('(')}"/>`),
    svgOf(`<rect fill="${fill('url(#a) ')}"/>`),
    svgOf(`<rect fill="url(#${fill('a')}"/>`),
    svgOf(`<text>${fill('&amp;')}</text>`),
    `<svg ${fill('xmlns:a="b" ')}/>`,
  ];
  for (const text of worst) {
    const from = performance.now();
    await harmlessSvg(Buffer.from(text));
    expect(performance.now() - from, text.slice(0, 120)).toBeLessThan(500);
  }
});

test('other requests are served while a large one is read', async () => {
  let served = 0;
  const count = (): void => void (served++, (timer = setImmediate(count)));
  let timer = setImmediate(count);
  await harmlessSvg(Buffer.from(svgOf('<rect/>'.repeat(4000))));
  clearImmediate(timer);
  expect(served).toBeGreaterThan(4);
});
