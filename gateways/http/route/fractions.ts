/** Numbers whose fraction a double cannot hold. `1000.0000000000000001` would be read as 1000: an amount
 *  nobody wrote
 *  (docs/reference/api.md refuses a fraction). The text of a number is gone once JSON is parsed, so it
 *  is looked at before.
 *  1. A number written with a fraction never becomes an integer: it becomes its nearest neighbour that is none.
 *  2. Only for text that is JSON already: then each quote found is the beginning of a whole text. */

/** Below a thousand million fewer decimal places than these always survive. */
const suspicious = /\.\d{8}|\d[eE][-+]?\d/;
const textOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** The same JSON with every fraction kept a fraction; the very same text when it holds none in danger. */
export function withFractionsKept(json: string): string {
  if (!suspicious.test(json)) return json;
  return json.replace(textOrNumber, (token) => (token.startsWith('"') ? token : kept(token)));
}

function kept(token: string): string {
  const value = Number(token);
  if (!Number.isInteger(value) || !hasFraction(token)) return token;
  const neighbour = neighbourOf(value);
  // so large that no double here has a fraction: far above every bound of ours
  return Number.isInteger(neighbour) ? token : String(neighbour);
}

/** Whether a digit other than 0 stands behind the decimal point, the exponent applied. */
function hasFraction(token: string): boolean {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  return /[1-9]/.test((whole + fraction).slice(Math.max(0, point)));
}

/** The next double further from zero. */
function neighbourOf(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigUint64(0, bits.getBigUint64(0) + 1n);
  return bits.getFloat64(0);
}
