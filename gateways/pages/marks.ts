/** A tile for each provider, so that a buyer finds his at a glance. Neutral: a shape and a colour of ours,
 *  never a provider's own sign. Served as files from our own address. */
const tile = (ground: string, drawing: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">` +
  `<rect width="40" height="40" fill="${ground}"/><g fill="none" stroke="#fff" stroke-width="2.2" ` +
  `stroke-linecap="round" stroke-linejoin="round">${drawing}</g></svg>`;

const wallet =
  '<path d="M11 14.5v13a2.5 2.5 0 002.5 2.5h14a2 2 0 002-2V18a2 2 0 00-2-2H12.5a2 2 0 010-5H26"/>' +
  '<path d="M24.5 23h.01" stroke-width="3.4"/>';
const qr =
  '<path d="M11 11h7v7h-7zM22 11h7v7h-7zM11 22h7v7h-7z"/>' +
  '<path d="M22.5 22.5v2.5M29 22v3M22.5 29h2.5M29 29v-.01"/>';
const bank = '<path d="M10.5 17L20 11l9.5 6zM13.5 20.5v6M20 20.5v6M26.5 20.5v6M10.5 30h19"/>';

const marks: Readonly<Record<string, string>> = {
  wallet_a: tile('#2f6f3e', wallet),
  wallet_b: tile('#5b3a8c', wallet),
  wallet_c: tile('#8a4b12', wallet),
  qr_a: tile('#1f4e8c', qr),
  bank_a: tile('#3d4a57', bank),
};

const other = tile('#4a4f55', wallet);

/** The tile of a provider; one for all we have no tile for. */
export const markOf = (provider: string): string => marks[provider] ?? other;

/** Every provider that has a tile of its own. */
export const markedProviders: readonly string[] = Object.keys(marks);
