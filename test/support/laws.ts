/** The rules of the sources: what is never called, what is global, the limits of sizes.
 *  Boundary: each rule with a file that breaks it; test/tidy.test.ts checks the sources against them.
 *  1. Each rule has a file that breaks it: a rule that nothing can break checks nothing. */
import { changedGlobals } from './globals.ts';
import type { Source } from './house.ts';
import { says, type Law } from './law.ts';

/** A file a person writes; the ceiling asks which noun inside it wants a room of its own. */
const fileLinesMax = 400;
const functionLinesMax = 70;
const columnsMax = 120;
/** What one reads without scrolling back. */
const pageLinesMax = 120;

const clocks = [
  /\bDate\.now\b/,
  /\bnew Date\b/,
  /\bperformance\.now\b/,
  /\bhrtime\b/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
];
const dice = [/\bMath\.random\b/, /\brandom(?:Bytes|UUID|Int|FillSync)\b/, /\bgetRandomValues\b/];

export const callLaws: readonly Law[] = [
  {
    says: 'actors, the runtime and the model of a store call no clock and throw no dice',
    rooms: /^(?:actors|src\/runtime|test\/support\/simulated\/(?:store-sim|directory-sim|test-runner))/,
    broken: says(...clocks, ...dice),
    breach: ['src/runtime/x.ts', 'const at = Date.now();'],
  },
  {
    says: 'actors never wait',
    rooms: /^actors\//,
    broken: says(
      /\bawait\b/,
      /\basync\b/,
      /\bPromise\b/,
      /\.then\(/,
      /\bqueueMicrotask\b/,
      /\bprocess\b/,
      /\bfetch\(/,
    ),
    breach: ['actors/x/x.ts', 'const late = async () => 1;'],
  },
  {
    says: 'dice are thrown at the doors and by the kernel',
    rooms: /^src\/(?!kernel\/|main\.ts$|cli\/|compose\/)/,
    broken: says(...dice),
    breach: ['src/outbound/x.ts', 'const x = Math.random();'],
  },
  {
    says: 'the environment is read by the command line alone, and handed to config.ts',
    rooms: /^(?!src\/cli\/)/,
    // uWebSockets.js takes its bound of a head from the environment and from nowhere else
    broken: says(/\bprocess\.env\b(?!\['UWS_HTTP_MAX_HEADERS_SIZE'\])/),
    breach: ['gateways/x.ts', "const x = process.env['X'];"],
  },
  {
    says: 'what is said goes to the log',
    rooms: /./,
    broken: says(/\bconsole\./),
    breach: ['src/x.ts', 'console.log(1);'],
  },
  {
    says: 'no any, no default exports, no barrels, no enums, no silenced checks',
    rooms: /./,
    broken: says(
      /\bas any\b/,
      /[:<|] ?any\b/,
      /^export default\b/,
      /^export \* from/,
      /^(?:export )?(?:const )?enum\b/,
      /@ts-(?:ignore|nocheck)/,
    ),
    breach: ['src/x.ts', 'const x: any = 1;'],
  },
  {
    says: 'a pause is that of the kernel, of a Backoff or of node:timers/promises',
    rooms: /^(?!src\/kernel\/time\.ts$)/,
    broken: says(
      /\bnew Promise(?:<\w+>)?\(\((\w+)\) => (?:void )?[\w.]*\b(?:after|setTimeout)\((?:\1\b|[^(]*, \1\))/,
    ),
    breach: ['src/x.ts', 'await new Promise<void>((resolve) => void scheduler.after(delay, resolve));'],
  },
  {
    says: 'no globals that change: a module holds constants',
    rooms: /./,
    broken: says(
      /^(?:export )?(?:let|var)\b/,
      /^(?:export )?const \w+(?:: (?!Readonly)[^=]+)? = (?:new (?:Map|Set)(?:<[^(]*>)?\(\)|\[\]);/,
    ),
    breach: ['src/x.ts', 'const seen = new Map<string, number>();'],
  },
  {
    says: 'no function changes an object of its module',
    rooms: /\.tsx?$/,
    broken: ({ path, text }) => changedGlobals(path, text),
    breach: ['src/x.ts', 'const latest = { day: 0 };\nfunction x() {\n  [latest.day] = [1];\n}'],
  },
];

export const shapeLaws: readonly Law[] = [
  {
    says: `no file passes ${fileLinesMax} lines`,
    rooms: /./,
    broken: ({ lines }) => (lines.length > fileLinesMax + 1 ? [`has ${lines.length - 1} lines`] : []),
    breach: ['src/x.ts', 'x\n'.repeat(fileLinesMax + 1)],
  },
  {
    says: `the composition root is one page of ${pageLinesMax} lines`,
    rooms: /^src\/main\.ts$/,
    broken: ({ lines }) => (lines.length > pageLinesMax + 1 ? [`has ${lines.length - 1} lines`] : []),
    breach: ['src/main.ts', 'x\n'.repeat(pageLinesMax + 1)],
  },
  {
    says: `no function passes ${functionLinesMax} lines`,
    rooms: /./,
    broken: longFunctions,
    breach: ['src/x.ts', `function x(\n  a: number,\n): void {\n${'  a;\n'.repeat(functionLinesMax)}}\n`],
  },
  {
    says: `no line passes ${columnsMax} columns`,
    rooms: /./,
    broken: ({ lines }) =>
      lines.flatMap(({ length }, at) =>
        length > columnsMax ? [`line ${at + 1} has ${length} columns`] : [],
      ),
    breach: ['src/x.ts', 'x'.repeat(columnsMax + 1)],
  },
  {
    says: 'each file says at its head what it is for',
    rooms: /./,
    broken: ({ text }) => (text.startsWith('/**') ? [] : ['begins without a comment']),
    breach: ['src/x.ts', 'const x = 1;'],
  },
  {
    says: 'comments cite the pages of this repository by their path, and no numbered page from elsewhere',
    rooms: /./,
    broken: ({ lines }) =>
      lines.flatMap((line, at) =>
        /\b(?:decisions|engine|providers|operations|quality) \d/.test(line)
          ? [`line ${at + 1}: ${line.trim()}`]
          : [],
      ),
    breach: ['src/x.ts', '/** As in decisions ' + '14. */'],
  },
  {
    says: 'a file is called by its noun',
    rooms: /./,
    broken: ({ path }) =>
      /(?:^|[/-])(?:utils?|helpers?|misc|common|stuff)\.ts$/.test(path) ? ['says nothing by its name'] : [],
    breach: ['src/kernel/string-utils.ts', ''],
  },
  {
    says: 'the code names no place of one machine and leaves nothing for later',
    rooms: /./,
    broken: says(/['"`]\/(?:work|home|root|Users)\/|\bTODO\b|\bFIXME\b|\bXXX\b/),
    breach: ['src/x.ts', "const x = '/home/me/x';"],
  },
];

const functionBegins = [
  /^( *)(?:export )?(?:async )?function\b/,
  /^( *)(?:export )?const \w+.*=> \{$/,
  /^( +)(?!(?:if|for|while|switch|catch|return|else)\b)(?:(?:private|static|async|get|set) )*#?\w+(?:<[^>]*>)?\(.*\{$/,
];
/** Ends a block, but not a parameter list or a type. */
const isEnd = (line: string, indent: string): boolean =>
  line.startsWith(`${indent}}`) && !/^ *\}(?:\)?:| )/.test(line);

/** Functions and methods that end further down than they may; a table of routes is none. */
function longFunctions({ lines }: Source): readonly string[] {
  return lines.flatMap((line, at) => {
    const indent = functionBegins.map((begin) => begin.exec(line)?.[1]).find((found) => found !== undefined);
    if (indent === undefined) return [];
    const end = lines.findIndex((each, below) => below > at && isEnd(each, indent));
    return end - at + 1 > functionLinesMax ? [`line ${at + 1}: ${end - at + 1} lines`] : [];
  });
}
