/** What a harmless SVG may consist of. Everything else is refused or left out (svg.ts).
 *  Boundary: names and single values. */

/** Shapes, groups, gradients, clips and text. Not among them: what runs (`script`, `animate`), what loads (`image`,
 *  `a`), and what can multiply (`use`, `pattern`, `mask`, `filter`). */
export const elements: ReadonlySet<string> = new Set([
  'g',
  'defs',
  'title',
  'desc',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'text',
  'tspan',
  'linearGradient',
  'radialGradient',
  'stop',
  'clipPath',
  'style',
]);

export const holdsText: ReadonlySet<string> = new Set(['title', 'desc', 'text', 'tspan', 'style']);

/** Gradients inherit from one another. */
export const refers: ReadonlySet<string> = new Set(['linearGradient', 'radialGradient']);

export const attributes: ReadonlySet<string> = new Set(
  [
    'id class style version width height viewBox preserveAspectRatio transform opacity visibility display overflow',
    'd x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy rotate points pathLength textLength lengthAdjust',
    'fill fill-opacity fill-rule clip-path clip-rule color',
    'stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray',
    'stroke-dashoffset vector-effect paint-order shape-rendering text-rendering color-interpolation',
    'offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod clipPathUnits',
    'font-family font-size font-style font-weight letter-spacing word-spacing text-anchor text-decoration',
    'dominant-baseline alignment-baseline baseline-shift role aria-label aria-hidden',
  ].flatMap((names) => names.split(' ')),
);

/** A part of the same file. */
export const isReference = (text: string): boolean => /^#[\w.:-]{1,200}$/.test(text);

const functions: ReadonlySet<string> = new Set([
  'rgb',
  'rgba',
  'hsl',
  'hsla',
  'url',
  'matrix',
  'translate',
  'translateX',
  'translateY',
  'scale',
  'scaleX',
  'scaleY',
  'rotate',
  'skewX',
  'skewY',
]);
const functionNameCharactersMax = 40;

/** The value of an attribute, or a list of declarations. It calls only known functions, and `url` names a part of the
 *  same file. No backslash: it could spell a name in another way. */
export function isHarmlessValue(value: string): boolean {
  if (/[\\@<>{}]|\/\*/.test(value)) return false;
  const pieces = value.split('(');
  return pieces.slice(0, -1).every((before, at) => {
    const name = /[\w-]*$/.exec(before.slice(-functionNameCharactersMax))?.[0] ?? '';
    return functions.has(name) && (name !== 'url' || isOwnUrl(pieces[at + 1] ?? ''));
  });
}

/** What follows `url(`. */
function isOwnUrl(after: string): boolean {
  const end = after.indexOf(')');
  return (
    end > 0 &&
    isReference(
      after
        .slice(0, end)
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2'),
    )
  );
}

/** The text of a `style` element: rules for classes, such as editors write them. */
export const areHarmlessRules = (text: string): boolean =>
  text
    .trim()
    .split('}')
    .every((rule, at, all) => (at === all.length - 1 ? rule.trim() === '' : isHarmlessRule(rule)));

function isHarmlessRule(rule: string): boolean {
  const [selectors = '', declarations, ...more] = rule.split('{');
  if (declarations === undefined || more.length > 0) return false;
  const areClasses = selectors.split(',').every((one) => /^\.[\w-]+$/.test(one.trim()));
  return areClasses && isHarmlessValue(declarations);
}
