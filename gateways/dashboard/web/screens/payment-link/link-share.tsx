/** The address of a payment link, to copy, and its QR code, to save. */
import type { PaymentLink } from '../../wire/types.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Glyph } from '../../parts/marks.tsx';

const formats = [
  ['png', 'PNG', 'for chats'],
  ['svg', 'SVG', 'for print'],
] as const;

export function LinkShare({ link }: { readonly link: PaymentLink }) {
  const { name, url, referenceId } = link;
  const code = (format: string): string => `/link/${encodeURIComponent(referenceId)}/qr.${format}`;
  return (
    <section class="slip lone act share" aria-labelledby="share">
      <h2 id="share">Send it to buyers</h2>
      <p class="address">
        <a href={url} target="_blank" rel="noopener noreferrer">
          {url}
        </a>
        <CopyButton text={url} what="address of the link" />
      </p>
      <img class="code" src={code('svg')} width={240} height={240} alt={`QR code of ${name}: ${url}`} />
      <div class="buttons">
        {formats.map(([format, word, use]) => (
          <a
            key={format}
            class="step"
            href={`${code(format)}?download`}
            download={`${referenceId}.${format}`}
          >
            <Glyph name="down" />
            {word}
            <span class="soft">{use}</span>
          </a>
        ))}
      </div>
    </section>
  );
}
