/** What a browser without script sees in a page: its title, its words, its buttons and the forms around them.
 *  Boundary: text in, data out; made for pages that are well-formed, as ours are. */

export interface Button {
  /** The words on it. */
  readonly words: string;
  readonly method: 'GET' | 'POST';
  /** Absolute address its form leads to. */
  readonly action: string;
  /** What its form sends when it is pressed: hidden fields, inputs as they stand, the button's own name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly disabled: boolean;
}

export interface HtmlPage {
  readonly title: string;
  /** Everything a person can read, in one line. */
  readonly words: string;
  readonly buttons: readonly Button[];
  /** Absolute addresses of links, by order. */
  readonly links: readonly { readonly words: string; readonly href: string }[];
  /** `<meta http-equiv=refresh>`, which works without script. */
  readonly refresh: { readonly seconds: number; readonly url: string } | null;
}

interface OpenForm {
  readonly method: 'GET' | 'POST';
  readonly action: string;
  readonly fields: Map<string, string>;
  readonly buttons: { words: string; name: string; value: string; disabled: boolean }[];
}

const tagPattern = /<!--[^]*?-->|<(\/?)([a-z][a-z0-9-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/gi;
const unread = new Set(['script', 'style', 'title']);

/** Reads a page found at `url`. */
export function readHtml(html: string, url: string): HtmlPage {
  const reader = new Reader(url);
  let at = 0;
  for (const match of html.matchAll(tagPattern)) {
    reader.text(html.slice(at, match.index));
    at = match.index + match[0].length;
    const name = match[2]?.toLowerCase();
    if (name !== undefined) reader.tag(name, match[1] === '/', attributesOf(match[3] ?? ''));
  }
  reader.text(html.slice(at));
  return reader.page();
}

class Reader {
  private readonly url: string;
  private readonly forms: OpenForm[] = [];
  private readonly links: { words: string; href: string }[] = [];
  private form: OpenForm | null = null;
  private button: OpenForm['buttons'][number] | null = null;
  private link: { words: string; href: string } | null = null;
  private inside: string | null = null;
  private title = '';
  private words = '';
  private refresh: HtmlPage['refresh'] = null;

  constructor(url: string) {
    this.url = url;
  }

  text(raw: string): void {
    const text = decoded(raw);
    if (this.inside === 'title') this.title += text;
    if (this.inside !== null) return;
    this.words += text;
    if (this.button !== null) this.button.words += text;
    if (this.link !== null) this.link.words += text;
  }

  tag(name: string, closes: boolean, attributes: ReadonlyMap<string, string>): void {
    if (unread.has(name)) this.inside = closes ? null : name;
    else if (closes) this.close(name);
    else this.open(name, attributes);
    // a tag parts words, as a line end does
    this.words += ' ';
  }

  page(): HtmlPage {
    const buttons = this.forms.flatMap(({ method, action, fields, buttons: own }) =>
      own.map((one): Button => ({
        words: tidy(one.words),
        method,
        action,
        disabled: one.disabled,
        fields: one.name === '' ? fields : new Map([...fields, [one.name, one.value]]),
      })),
    );
    return {
      title: tidy(this.title),
      words: tidy(this.words),
      buttons,
      refresh: this.refresh,
      links: this.links.map(({ words, href }) => ({ words: tidy(words), href })),
    };
  }

  private close(name: string): void {
    if (name === 'form') this.form = null;
    if (name === 'button') this.button = null;
    if (name === 'a') this.link = null;
  }

  private open(name: string, attributes: ReadonlyMap<string, string>): void {
    const of = (attribute: string): string => attributes.get(attribute) ?? '';
    if (name === 'form') {
      const action = new URL(of('action') === '' ? this.url : of('action'), this.url).href;
      this.form = {
        method: of('method').toUpperCase() === 'POST' ? 'POST' : 'GET',
        action,
        fields: new Map(),
        buttons: [],
      };
      this.forms.push(this.form);
    } else if (name === 'input' && of('type') !== 'submit') {
      if (of('name') !== '') this.form?.fields.set(of('name'), of('value'));
    } else if (name === 'button' || name === 'input') {
      this.button = {
        words: of('value'),
        name: of('name'),
        value: of('value'),
        disabled: attributes.has('disabled'),
      };
      if (name === 'button') this.button.words = '';
      if (of('type') !== 'button') this.form?.buttons.push(this.button);
      if (name === 'input') this.button = null;
    } else if (name === 'a' && of('href') !== '') {
      this.link = { words: '', href: new URL(of('href'), this.url).href };
      this.links.push(this.link);
    } else if (name === 'meta' && of('http-equiv').toLowerCase() === 'refresh') {
      const [seconds = '0', target = ''] = of('content').split(/;\s*url=/i);
      this.refresh = {
        seconds: Number(seconds),
        url: new URL(target === '' ? this.url : target, this.url).href,
      };
    }
  }
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g);
  return new Map(
    [...found].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decoded(double ?? single ?? bare ?? ''),
    ]),
  );
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (whole, ten, hex, name) => {
    if (typeof name === 'string') return named[name.toLowerCase()] ?? whole;
    return String.fromCodePoint(typeof ten === 'string' ? Number(ten) : parseInt(String(hex), 16));
  });

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();
