/** Numbers whose fraction a double cannot represent. `1000.0000000000000001` would be parsed as 1000, an
 *  amount that the client did not write (docs/reference/api.md refuses a fraction). Once JSON is parsed,
 *  the text of a number is lost, so the text is checked before.
 *  1. A number written with a fraction never becomes an integer: it becomes the nearest double that is not
 *     one.
 *  2. Only for valid JSON text: then each quote found is the beginning of a complete string. */

/** Below a thousand million, fewer decimal places than these always survive. */
const suspicious = /\.\d{8}|\d[eE][-+]?\d/;
const textOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** The same JSON with every fraction kept a fraction; the same text when no number is affected. */
export function withFractionsKept(json: string): string {
  if (!suspicious.test(json)) return json;
  return json.replace(textOrNumber, (token) => (token.startsWith('"') ? token : kept(token)));
}

function kept(token: string): string {
  const value = Number(token);
  if (!Number.isInteger(value) || !hasFraction(token)) return token;
  const neighbour = neighbourOf(value);
  // so large that no double here has a fraction: far above all our bounds
  return Number.isInteger(neighbour) ? token : String(neighbour);
}

/** Whether a non-zero digit remains after the decimal point once the exponent is applied. */
function hasFraction(token: string): boolean {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  return /[1-9]/.test((whole + fraction).slice(Math.max(0, point)));
}

/** The next double away from zero. */
function neighbourOf(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigUint64(0, bits.getBigUint64(0) + 1n);
  return bits.getFloat64(0);
}
