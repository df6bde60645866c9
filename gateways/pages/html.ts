/** HTML templates that are safe for any inserted value, and the frame of every page.
 *  Boundary: text in, text out; knows no session, no door and no header.
 *  1. Every inserted value is escaped, unless `html` itself made it: both the type and the class enforce
 *     this.
 *  2. A placeholder is in text or in a quoted attribute. Anywhere else (bare attribute, tag name, comment,
 *     script, style) is a bug and throws.
 *  3. An address in href, src, action or formaction is http, https, one of our own paths, or (src only) a
 *     data image; any other becomes `#`, so no `javascript:` reaches a buyer. */
import { assert } from '../../src/kernel/assert.ts';
import { isPlainPath } from './own-path.ts';

/** Markup made by `html`. The class is not exported: no other code can create one, and no JSON value can
 *  pass for one. */
class Markup {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}
export type Html = Markup;

/** Values allowed in a placeholder; null and false show nothing. */
export type Hole = string | number | Html | null | false | readonly Hole[];

type Place = 'text' | 'attribute' | 'address' | 'image';

interface Template {
  readonly texts: readonly string[];
  readonly places: readonly Place[];
}

/** The positions of a template's placeholders never change: they are checked once per template, not once
 *  per page. */
const templates = new WeakMap<TemplateStringsArray, Template>();

/** `html\`<p>${anything}</p>\``: the only way to make markup here. A line break inside a sentence or a tag
 *  becomes a space. */
export function html(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  let template = templates.get(parts);
  if (template === undefined) {
    const texts = parts.map((part) => part.replace(/([^>\s])[ ]*\n[ ]*/g, '$1 '));
    const places = holes.map((_hole, index) => placeAfter(texts.slice(0, index + 1).join('\u0000')));
    template = { texts, places };
    templates.set(parts, template);
  }
  const { texts, places } = template;
  let text = texts[0] ?? '';
  for (let index = 0; index < holes.length; index++) {
    text += shown(holes[index] ?? null, places[index] ?? 'text') + (texts[index + 1] ?? '');
  }
  return new Markup(text);
}

/** The frame: a whole document. `refresh` reloads (or opens `to`) after this many seconds, also without
 *  script; with `refresh.scriptless` only where there is no script. */
export function page(of: {
  readonly title: string;
  readonly stylesheet: string | readonly string[];
  readonly body: Html;
  readonly script?: string | readonly string[];
  readonly refresh?: { readonly seconds: number; readonly to?: string; readonly scriptless?: boolean };
  readonly lang?: string;
}): string {
  const scripts = [of.script ?? []].flat().map((each) => html`<script src="${each}" defer></script>`);
  const styles = [of.stylesheet].flat().map((each) => html`<link rel="stylesheet" href="${each}">`);
  return html`<!doctype html>
<html lang="${of.lang ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${of.title}</title>
<link rel="icon" href="data:,">
${styles}
${scripts}${of.refresh === undefined ? null : refreshOf(of.refresh)}
</head>
<body>
${of.body}
</body>
</html>
`.toString();
}

const refreshOf = (refresh: { seconds: number; to?: string; scriptless?: boolean }): Html => {
  const to = refresh.to === undefined ? '' : `;url=${safeAddress(refresh.to, 'address')}`;
  const content = `${refresh.seconds}${to}`;
  const meta = html`<meta http-equiv="refresh" content="${content}">`;
  return refresh.scriptless === true ? html`<noscript>${meta}</noscript>` : meta;
};

function shown(hole: Hole, place: Place): string {
  if (hole === null || hole === false) return '';
  if (hole instanceof Markup) {
    assert(place === 'text', 'markup stands in text, not in an attribute');
    return hole.toString();
  }
  if (typeof hole === 'object') {
    assert(Array.isArray(hole), 'a hole holds text, a number, markup or a list of them');
    return hole.map((each: Hole) => shown(each, place)).join('');
  }
  const text = String(hole);
  return escaped(place === 'address' || place === 'image' ? safeAddress(text, place) : text);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  '\u0000': '\uFFFD',
};

// oxlint-disable-next-line no-control-regex -- a NUL breaks a page; it becomes the replacement sign
const special = /[&<>"'`\u0000]/g;
/** Most texts hold no special sign: to search costs a third of a replacement that finds nothing. */
const escaped = (text: string): string =>
  text.search(special) === -1 ? text : text.replace(special, (sign) => entities[sign] ?? '');

/** Parsed as browsers do (they drop tabs and line breaks, and treat a backslash as a slash). */
function safeAddress(text: string, place: 'address' | 'image'): string {
  if (isPlainPath(text)) return text;
  const here = 'http://here.invalid';
  const url = URL.canParse(text, here) ? new URL(text, here) : null;
  if (url === null) return '#';
  if (url.origin === here) return text.startsWith('/') ? text : '#';
  if (url.protocol === 'http:' || url.protocol === 'https:') return url.href;
  return place === 'image' && /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/.test(text) ? text : '#';
}

const addressAttributes: Readonly<Record<string, Place>> = {
  href: 'address',
  action: 'address',
  formaction: 'address',
  src: 'image',
};

/** The position of a placeholder, from the template's text before it; earlier placeholders are NUL
 *  characters in it. */
function placeAfter(before: string): Place {
  const rest = before
    .replace(/<!--.*?-->|<[a-z!/](?:[^<>"']|"[^"]*"|'[^']*')*>/gis, (tag) =>
      /^<(?:script|style)\b/i.test(tag) ? '<raw ' : /^<\/(?:script|style)\b/i.test(tag) ? '</raw>' : '',
    )
    .replace(/<raw [^<]*<\/raw>/g, '');
  const open = rest.search(/<(?:[a-z!/]|$)/i);
  if (open === -1) return 'text';
  const attribute = /^<[a-z][^]*\s([a-z-]+)="([^"]*)$/i.exec(rest.slice(open));
  const name = attribute?.[1]?.toLowerCase() ?? '';
  const isSafe = name !== '' && name !== 'style' && !name.startsWith('on');
  assert(isSafe, `a hole in text or a quoted attribute: ${before}`);
  return attribute?.[2] === '' ? (addressAttributes[name] ?? 'attribute') : 'attribute';
}
