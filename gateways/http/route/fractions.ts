/** Numbers whose fraction a double cannot represent. `1000.0000000000000001` would be parsed as 1000, an
 *  amount that the client did not write (docs/reference/api.md refuses a fraction). Once JSON is parsed,
 *  the text of a number is lost, so the bytes are checked before.
 *  1. A number written with a fraction never becomes an integer: one digit of it is changed, far behind those
 *     that count. Any other number stays as it was written.
 *  2. A number costs a few steps for each of its characters, and keeps its length. */

/** Digits that a double always represents. */
const digitsKept = 15;
/** Digits after which a double never tells one number from the next. */
const digitsLost = 18;
/** Zeros after the point of a number that a double may take for 0, and of one that it always does. */
const zerosSuspicious = 320;
const zerosLost = 330;
/** No exponent needs more; above it, one more digit changes nothing. */
const exponentMax = 1_000_000_000;

/** The same JSON with every fraction kept a fraction: the same bytes where no number is affected, else a copy.
 *  `numbers` are the beginning and the end of those that may have a fraction. */
export function withFractionsKept(json: Buffer, numbers: readonly number[]): Buffer {
  let kept = json;
  for (let at = 0; at < numbers.length; at += 2) {
    const [from = 0, to = 0] = [numbers[at], numbers[at + 1]];
    const change = changeOf(json, from, to);
    if (change === null) continue;
    if (kept === json) kept = Buffer.from(json);
    if (change.is === 'digit') kept[change.at] = change.digit;
    else writeSmallest(kept, from, to);
  }
  return kept;
}

type Change =
  | { readonly is: 'digit'; readonly at: number; readonly digit: number }
  | { readonly is: 'smallest' };

const zero = 0x30;
const five = 0x35;
const nine = 0x39;
const decimalPoint = 0x2e;
const isNothing = (byte: number | undefined): boolean => byte === zero || byte === decimalPoint;
const isDigit = (byte: number): boolean => byte >= zero && byte <= nine;

/** A number as digits, and where its point stands among them. */
interface Written {
  /** Index of its first digit that is not 0; -1: there is none. */
  readonly first: number;
  /** Index of the last one. */
  readonly last: number;
  /** Digits before the point, the exponent applied: below 0 or above all digits, too. */
  readonly point: number;
  /** Index of the byte after the digits before the written point. */
  readonly dot: number;
}

function changeOf(json: Buffer, from: number, to: number): Change | null {
  const start = json[from] === 0x2d ? from + 1 : from;
  const { first, last, point, dot } = written(json, start, to);
  // no fraction
  if (first < 0 || last < point) return null;
  if (first - point >= zerosSuspicious) {
    const isLost = first - point >= zerosLost || numberIn(json, from, to) === 0;
    return isLost && jsonNumber.test(textAt(json, from, to)) ? { is: 'smallest' } : null;
  }
  // the first digits are those of the fraction: a double represents them
  const whole = Math.max(0, point - first);
  const place = (index: number): number => start + index + (start + index >= dot ? 1 : 0);
  const begins = json[place(point)] ?? 0;
  // 0.0...: of its own size
  if (point < 0 || (whole === 0 && begins !== nine)) return null;
  let run = 0;
  if (begins === zero || begins === nine)
    while (run < digitsLost && point + run <= last && json[place(point + run)] === begins) run++;
  if (whole + run < digitsKept) return null;
  if (whole + run < digitsLost && !Number.isInteger(numberIn(json, from, to))) return null;
  const index = digitsKept - 1 - whole;
  if (index < 0) return { is: 'digit', at: place(point), digit: five };
  return { is: 'digit', at: place(point + index), digit: begins === zero ? zero + 1 : nine - 1 };
}

/** What is written anew must have been a number: broken JSON stays broken. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const numberIn = (json: Buffer, from: number, to: number): number => Number(textAt(json, from, to));
const textAt = (json: Buffer, from: number, to: number): string => json.toString('latin1', from, to);

function written(json: Buffer, start: number, to: number): Written {
  const whole = afterDigits(json, start, to);
  const hasDot = whole < to && json[whole] === decimalPoint;
  const end = hasDot ? afterDigits(json, whole + 1, to) : whole;
  // a point is skipped like a zero: only the digits are counted
  let from = start;
  while (from < end && isNothing(json[from])) from++;
  let until = end - 1;
  while (until > from && isNothing(json[until])) until--;
  const index = (at: number): number => (hasDot && at > whole ? at - start - 1 : at - start);
  const isZero = from === end;
  return {
    first: isZero ? -1 : index(from),
    last: isZero ? -1 : index(until),
    point: whole - start + exponentIn(json, end + 1, to),
    dot: hasDot ? whole : to,
  };
}

function afterDigits(json: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isDigit(json[at] ?? 0)) at++;
  return at;
}

/** 0 without one. */
function exponentIn(json: Buffer, from: number, to: number): number {
  const isNegative = json[from] === 0x2d;
  let exponent = 0;
  for (let at = from; at < to && exponent < exponentMax; at++) {
    const byte = json[at] ?? 0;
    if (isDigit(byte)) exponent = exponent * 10 + byte - zero;
  }
  return isNegative ? -exponent : exponent;
}

/** `5e-324`, as long as what stood there, which is never shorter; its sign stays. */
function writeSmallest(json: Buffer, from: number, to: number): void {
  const start = json[from] === 0x2d ? from + 1 : from;
  json.fill(zero, start, to);
  json.write('5e-', start, 'latin1');
  json.write('324', to - 3, 'latin1');
}
