/** Content negotiation by the `Accept` header: an HTML page for people, or JSON. */

/** Whether a page is preferred: HTML is named, and JSON does not rank above it. Browsers name HTML; a
 *  client that accepts anything is a program. */
export function prefersHtml(accept: string): boolean {
  if (!/html/i.test(accept)) return false;
  let [html, json] = [0, 0];
  for (const entry of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = weightIn(parameters);
    if (type === 'text/html' || type === 'application/xhtml+xml') html = Math.max(html, weight);
    else if (type === 'application/json') json = Math.max(json, weight);
  }
  return html > 0 && html >= json;
}

/** `q=0.8`; 1 by default, 0 for a value that is not a number. */
function weightIn(parameters: readonly string[]): number {
  const text = parameters.find((each) => each.startsWith('q='))?.slice('q='.length);
  if (text === undefined) return 1;
  return /^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.test(text) ? Number(text) : 0;
}
