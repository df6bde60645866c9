/** Makes an SVG harmless: reads it with a strict parser and writes it anew from what is allowed (svg-allowed.ts).
 *  1. Nothing of the input reaches the output but allowed elements, attributes and their checked values.
 *  2. What can run, load or expand is refused, with a reason that says what to change. What editors leave in a
 *     file (comments, metadata, elements and attributes of their own) is left out.
 *  3. Every check takes time proportional to the input, and other requests are served between its parts. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as otherRequests } from 'node:timers/promises';
import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from 'saxes';
import {
  areHarmlessRules,
  attributes,
  elements,
  holdsText,
  isHarmlessValue,
  isReference,
  refers,
} from './svg-allowed.ts';

export type Svg =
  | { readonly is: 'svg'; readonly bytes: Buffer }
  /** `why`: what it must be without, in words. */
  | { readonly is: 'refused'; readonly why: string };

const svgNames = 'http://www.w3.org/2000/svg';
const linkNames = 'http://www.w3.org/1999/xlink';
const pageNames = 'http://www.w3.org/1999/xhtml';

/** Read within about a millisecond. */
const partCharacters = 4096;
const depthMax = 64;
const elementsMax = 5_000;

/** The input is not acceptable; the message completes "an SVG ...". */
class Unacceptable extends Error {
  override readonly name = 'Unacceptable';
}

export async function harmlessSvg(bytes: Buffer): Promise<Svg> {
  if (!isUtf8(bytes)) return { is: 'refused', why: 'in UTF-8' };
  try {
    const written = await new Rewriting().of(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    return { is: 'svg', bytes: Buffer.from(written) };
  } catch (error) {
    if (error instanceof Unacceptable) return { is: 'refused', why: error.message };
    throw error;
  }
}

const without = (what: string): never => {
  throw new Unacceptable(`without ${what}`);
};

class Rewriting {
  private written = '';
  /** Names of the open elements that are written. */
  private readonly open: string[] = [];
  /** Open elements that are left out, from the outermost. */
  private skipped = 0;
  private count = 0;
  private inClip = 0;
  private rules = '';

  async of(text: string): Promise<string> {
    const parser = new SaxesParser({ xmlns: true });
    parser.on('error', () => {
      throw new Unacceptable('in well-formed XML');
    });
    parser.on('doctype', () => without('a <!DOCTYPE>: delete that line'));
    parser.on('processinginstruction', () => without('processing instructions (<?...?>)'));
    parser.on('opentag', (tag) => this.opened(tag));
    parser.on('closetag', () => this.closed());
    parser.on('text', (found) => this.text(found));
    parser.on('cdata', (found) => this.text(found));
    for (let at = 0; at < text.length; at += partCharacters) {
      parser.write(text.slice(at, at + partCharacters));
      await otherRequests();
    }
    parser.close();
    if (this.count === 0) without('anything around its <svg> element');
    return this.written;
  }

  private opened(tag: SaxesTagNS): void {
    if (++this.count > elementsMax) without(`more than ${elementsMax} elements`);
    if (this.open.length + this.skipped >= depthMax) without(`more than ${depthMax} levels`);
    if (this.skipped > 0 || this.isLeftOut(tag)) {
      this.skipped++;
      return;
    }
    const { local } = tag;
    if (local === 'clipPath') this.inClip++;
    this.written += `<${local}${this.open.length === 0 ? ` xmlns="${svgNames}"` : ''}`;
    for (const attribute of Object.values(tag.attributes)) this.attribute(local, attribute);
    this.written += '>';
    this.open.push(local);
  }

  /** Elements of editors are left out; any other element that is not allowed is refused. */
  private isLeftOut({ local, uri }: SaxesTagNS): boolean {
    const isRoot = this.open.length === 0;
    if (uri === pageNames) without(`HTML (<${local}>)`);
    if (isRoot) {
      if (local !== 'svg' || (uri !== svgNames && uri !== '')) without('another element around <svg>');
      return false;
    }
    if (uri !== svgNames && uri !== '') return true;
    if (local === 'metadata') return true;
    if (!elements.has(local)) without(`<${local}>`);
    return false;
  }

  private attribute(element: string, { local, uri, value }: SaxesAttributeNS): void {
    if (/^on/i.test(local)) without(`event handlers (${local})`);
    if (local === 'href' && (uri === '' || uri === linkNames)) return this.link(element, value);
    if (uri !== '' || !attributes.has(local)) return;
    // a clip that is clipped again, and so on, would take exponential time to draw
    if (this.inClip > 0 && ['class', 'style', 'clip-path'].includes(local) && element !== 'clipPath') return;
    if (!isHarmlessValue(value)) without(`references to other files (${local})`);
    this.write(local, value);
  }

  private link(element: string, value: string): void {
    if (!isReference(value)) without('references to other files (href)');
    if (refers.has(element)) this.write('href', value);
  }

  private write(name: string, value: string): void {
    this.written += ` ${name}="${escaped(value)}"`;
  }

  private text(text: string): void {
    const element = this.open.at(-1);
    if (this.skipped > 0 || element === undefined || !holdsText.has(element)) return;
    if (element === 'style') this.rules += text;
    else this.written += escaped(text);
  }

  private closed(): void {
    if (this.skipped > 0) {
      this.skipped--;
      return;
    }
    const element = this.open.pop();
    if (element === 'style') this.style();
    if (element === 'clipPath') this.inClip--;
    this.written += `</${element}>`;
  }

  /** Checked as a whole: text may arrive in parts. */
  private style(): void {
    if (!areHarmlessRules(this.rules)) without('styles beyond plain rules for classes');
    this.written += escaped(this.rules);
    this.rules = '';
  }
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escaped = (text: string): string => text.replace(/[&<>"]/g, (each) => entities[each] ?? '');
