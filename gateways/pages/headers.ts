/** The headers of every page. Boundary: a pure function of the allowed form targets. */

/** `formTargets`: origins beside our own that a form may lead to, redirects included (browsers apply
 *  `form-action` also to the 303 after a POST); `https:` allows every https page. `logo`: the page shows the logo of
 *  a shop, which may be on any https host. */
export const pageHeaders = (
  formTargets: readonly string[] = [],
  logo: 'logo' | 'no logo' = 'no logo',
): { readonly [name: string]: string } => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self' data:${logo === 'logo' ? ' https:' : ''}`,
    "script-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTargets
      .filter(isSource)
      .map((each) => ` ${each}`)
      .join('')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
});

/** Only a scheme or an origin gets into the header, whatever a provider's answer contained. */
const isSource = (text: string): boolean => /^https?:(?:\/\/[a-z0-9.[\]:-]+)?$/i.test(text);

/** The origin of an http(s) address, null for anything else. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : null;
}
