/** Content negotiation. `Accept`: an HTML page for people, a CSV file, or JSON. `Accept-Language`: the
 *  language of messages. */

/** Whether a page is preferred. Browsers name HTML; a client that accepts anything is a program. */
export const prefersHtml = (accept: string): boolean =>
  /html/i.test(accept) && prefers(['text/html', 'application/xhtml+xml'], accept);

/** Whether a CSV file is preferred. */
export const prefersCsv = (accept: string): boolean => /csv/i.test(accept) && prefers(['text/csv'], accept);

/** The first language of a buyer's browser that our messages are written in; English by default. */
export function languageIn(acceptLanguage: string): 'en' | 'ne' {
  // what does not name Nepali is not in need of being read
  if (!/ne/i.test(acceptLanguage)) return 'en';
  const spoken = acceptLanguage
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .map(([tag = '', ...parameters]) => ({ language: tag.split('-')[0], weight: weightIn(parameters) }))
    .filter(({ language, weight }) => weight > 0 && (language === 'en' || language === 'ne'));
  const [first] = spoken.toSorted((a, b) => b.weight - a.weight);
  return first?.language === 'ne' ? 'ne' : 'en';
}

/** One of the types is named, and JSON does not rank above it. */
function prefers(types: readonly string[], accept: string): boolean {
  let [wanted, json] = [0, 0];
  for (const entry of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = weightIn(parameters);
    if (types.includes(type)) wanted = Math.max(wanted, weight);
    else if (type === 'application/json') json = Math.max(json, weight);
  }
  return wanted > 0 && wanted >= json;
}

/** `q=0.8`; 1 by default, 0 for a value that is not a number. */
function weightIn(parameters: readonly string[]): number {
  const text = parameters.find((each) => each.startsWith('q='))?.slice('q='.length);
  if (text === undefined) return 1;
  return /^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.test(text) ? Number(text) : 0;
}
