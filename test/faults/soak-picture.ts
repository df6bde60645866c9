/** The picture of a soak: memory, descriptors and latency over time, as an SVG that follows the reader's colour scheme.
 *  Boundary: text; it reads what the history has and knows no file. */
import type { Entry, Sample } from './history.ts';

type Point = number | null;

interface Line {
  readonly name: string;
  /** Its colour, by its class. */
  readonly as: string;
  readonly points: readonly Point[];
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Values are drawn by their logarithm. */
  readonly log?: true;
}

const [width, left, right, panelHeight, gap, top] = [960, 64, 24, 150, 62, 64];
const minuteMs = 60_000;
const minutesEach = 5;
const gridLines = 4;

export function soakPicture(entries: readonly Entry[]): string {
  const samples = entries.filter((one): one is Sample => one.is === 'sample');
  const times = samples.map(({ at }) => at);
  const from = times[0] ?? 0;
  const spanMs = Math.max(minuteMs, (times.at(-1) ?? 0) - from);
  const panels = panelsOf(samples);
  const height = top + panels.length * (panelHeight + gap);
  const x = (at: number): number => left + ((at - from) / spanMs) * (width - left - right);
  const title = `A soak of ${Math.round(spanMs / minuteMs)} minutes on three nodes`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      `role="img" aria-labelledby="title" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">`,
    `<title id="title">${title}: memory, descriptors and latency</title>`,
    style,
    `<rect class="sheet" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="14"/>`,
    `<text class="h" x="${left}" y="32">${title}; nodes 1 and 2 are killed in turn, one each minute</text>`,
    ...panels.map((panel, at) =>
      drawn(panel, top + at * (panelHeight + gap), times.map(x), minutes(from, spanMs, x)),
    ),
    '</svg>',
    '',
  ].join('\n');
}

function panelsOf(samples: readonly Sample[]): readonly Panel[] {
  const nodes = [...(samples[0]?.nodes.keys() ?? [])];
  const each = (part: (node: NonNullable<Sample['nodes'][number]>) => number): readonly Line[] =>
    nodes.map((at) => ({
      name: `node ${at}`,
      as: `n${at}`,
      points: samples.map(({ nodes: all }) => {
        const node = all[at] ?? null;
        return node === null ? null : part(node);
      }),
    }));
  return [
    { title: 'memory (RSS), MiB', lines: each(({ rssMiB }) => rssMiB) },
    { title: 'open descriptors', lines: each(({ descriptors }) => descriptors) },
    {
      title: 'until a checkout is acknowledged, ms',
      log: true,
      lines: [
        { name: 'p50', as: 'n0', points: samples.map(({ p50Ms }) => p50Ms) },
        { name: 'p99', as: 'n1', points: samples.map(({ p99Ms }) => p99Ms) },
      ],
    },
  ];
}

function drawn(
  { title, lines, log }: Panel,
  y0: number,
  xs: readonly number[],
  ticks: readonly (readonly [x: number, minute: number])[],
): string {
  const bottom = y0 + panelHeight;
  const values = lines.flatMap(({ points }) => points.filter((one) => one !== null));
  const scale = log === true ? logarithmic(values) : linear(values);
  const y = (value: number): number => bottom - scale.part(value) * panelHeight;
  return [
    `<text class="s" x="${left}" y="${y0 - 10}">${title}</text>`,
    ...lines.map(
      ({ name, as }, at) =>
        `<text class="${as} key" x="${width - right - 70 * (lines.length - at - 1)}" y="${y0 - 10}">${name}</text>`,
    ),
    ...scale.marks.map(
      (mark) =>
        `<path class="grid" d="M${left} ${fixed(y(mark))}H${width - right}"/>` +
        `<text class="s e" x="${left - 8}" y="${fixed(y(mark) + 4)}">${mark}</text>`,
    ),
    ...ticks.map(
      ([x, minute]) => `<text class="s c" x="${fixed(x)}" y="${bottom + 18}">${minute} min</text>`,
    ),
    ...lines.map(({ as, points }) => `<path class="${as} line" d="${pathOf(points, xs, y)}"/>`),
  ].join('\n');
}

/** A new stroke after each gap. */
function pathOf(points: readonly Point[], xs: readonly number[], y: (value: number) => number): string {
  let open = false;
  return points
    .map((point, at) => {
      const stroke = point === null ? '' : `${open ? 'L' : 'M'}${fixed(xs[at] ?? 0)} ${fixed(y(point))}`;
      open = point !== null;
      return stroke;
    })
    .join('');
}

interface Scale {
  /** Where a value stands, from 0 to 1. */
  readonly part: (value: number) => number;
  readonly marks: readonly number[];
}

function linear(values: readonly number[]): Scale {
  const step = rounded(Math.max(1, ...values) / gridLines);
  const marks = Array.from({ length: gridLines + 1 }, (_, at) => at * step);
  return { part: (value) => value / (step * gridLines), marks };
}

function logarithmic(values: readonly number[]): Scale {
  const low = Math.floor(Math.log10(Math.max(1, Math.min(...values))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(1, ...values))));
  return {
    part: (value) => (Math.log10(Math.max(1, value)) - low) / (high - low),
    marks: Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)),
  };
}

/** The next of 1, 2, 5, 10, 20, 50 ... */
function rounded(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * ([1, 2, 5].find((one) => one * unit >= value) ?? 10);
}

const minutes = (
  from: number,
  spanMs: number,
  x: (at: number) => number,
): readonly (readonly [number, number])[] =>
  Array.from({ length: Math.floor(spanMs / minuteMs / minutesEach) + 1 }, (_, at) => [
    x(from + at * minutesEach * minuteMs),
    at * minutesEach,
  ]);

const fixed = (value: number): string => value.toFixed(1);

const style = `<style>
  .sheet { fill: #fffdf8; stroke: #d8d3c6 } text { fill: #17231f } .h { font-weight: 700; font-size: 15px }
  .s { fill: #55605b; font-size: 12px } .c { text-anchor: middle } .e, .key { text-anchor: end }
  .grid { stroke: #e4dfd3; fill: none } .line { fill: none; stroke-width: 1.6; stroke-linejoin: round }
  path.n0 { stroke: #0d5c47 } text.n0 { fill: #0d5c47 } path.n1 { stroke: #b4540a } text.n1 { fill: #b4540a }
  path.n2 { stroke: #3d5fa8 } text.n2 { fill: #3d5fa8 }
  @media (prefers-color-scheme: dark) {
    .sheet { fill: #14201c; stroke: #33423c } text { fill: #e9efe9 } .s { fill: #a7b3ac } .grid { stroke: #2a3833 }
    path.n0 { stroke: #5cc9a7 } text.n0 { fill: #5cc9a7 } path.n1 { stroke: #f0a35e } text.n1 { fill: #f0a35e }
    path.n2 { stroke: #8fb0f2 } text.n2 { fill: #8fb0f2 }
  }
</style>`;
