/** The guide to a new actor as its reader follows it: its blocks are typed into a copy of the program, each file with the
 *  imports that the guide gives for its place. The copy compiles, its test passes, and an answer is what the schema says. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { judgeBy, operationsOf, type Json } from '../gateways/http/openapi/reading.ts';
import { blocksIn, isCommand, ledgerOf } from '../docs/guides/ledger.ts';
import { read, root } from '../support/house.ts';
import { compileMsMax, ProgramCopy } from '../support/program-copy.ts';

const guide = read('docs/guides/add-an-actor.md');

/** Where the guide says that each file goes. */
const places: { readonly [file: string]: string } = {
  'messages.ts': 'actors/hold/messages.ts',
  'hold.ts': 'actors/hold/hold.ts',
  'hold.test.ts': 'test/actors/hold/hold.test.ts',
  'routes.ts': 'gateways/http/routes/holds.ts',
  'schema.ts': 'gateways/http/schemas/hold.ts',
};

const fence = '```';
/** Each block, the file it is, and the imports that follow it for its place. */
const blocks = [
  ...guide.matchAll(
    new RegExp(
      `${fence}ts test/example-actor/(\\S+)\\n([^]*?)${fence}\\n(?:\\nIn its place[^\\n]*\\n\\n${fence}ts\\n([^]*?)${fence})?`,
      'g',
    ),
  ),
].map(([, file = '', text = '', imports]) => ({ file, text, imports }));

/** The file with these imports in the place of its own; a comment at its head stays there. */
function inPlace(text: string, imports: string | undefined): string {
  if (imports === undefined) return text;
  const [, head = '', rest = ''] = /^(\/\*\*.*\n)?(?:import .*\n)+([^]*)$/.exec(text) ?? [];
  return head + imports + rest;
}

/** Its blocks of imports. */
const ledger = ledgerOf('add-an-actor.md');

let copy: ProgramCopy;
beforeAll(async () => {
  copy = await ProgramCopy.make();
  for (const { file, text, imports } of blocks) await copy.write(places[file] ?? '', inPlace(text, imports));
  await addLine('actors/cast.ts', 'webhookEndpointKind,', 'holdKind,');
  await addLine('gateways/http/routes.ts', '...clusterRoutes(parts),', '...holdRoutes(parts),');
}, compileMsMax);
afterAll(() => copy.remove());

/** A line that the guide names, below another one of its list, and the import that it shows. */
async function addLine(file: string, below: string, line: string): Promise<void> {
  expect(guide).toContain(`\`${line}\``);
  const name = /\w+/.exec(line)?.[0] ?? '';
  const importing = new RegExp(`^import \\{ ${name} \\}.*$`, 'm').exec(guide)?.[0] ?? '';
  const [before, after, ...rest] = (await copy.read(file)).split(`\n${indentOf(below)}${below}\n`);
  expect(rest, file).toEqual([]);
  const indent = indentOf(below);
  await copy.write(file, `${importing}\n${before}\n${indent}${below}\n${indent}${line}\n${after}`);
}
const indentOf = (line: string): string => (line.startsWith('...') ? '    ' : '  ');

test('every file of the guide has its place, which the guide names', () => {
  expect(blocks.map(({ file }) => file).toSorted()).toEqual(Object.keys(places).toSorted());
  expect(Object.values(places).filter((place) => !guide.includes(`\`${place}\``))).toEqual([]);
});

/** The blocks of imports, as they stand in the copy that was compiled. */
async function noteImports(): Promise<void> {
  const files = [...Object.values(places), 'actors/cast.ts', 'gateways/http/routes.ts'];
  const typed = new Set((await Promise.all(files.map((file) => copy.read(file)))).join('\n').split('\n'));
  for (const { text } of blocksIn(guide).filter(isCommand)) {
    const taken = ledger.take('ts', text.split('\n')[0] ?? '');
    ledger.note(
      taken,
      taken.lines.filter((line) => typed.has(line)),
    );
  }
}

test(
  'typed in, it compiles, its test passes, and an answer is what the schema and its example say',
  async () => {
    expect(await copy.compile()).toBe('');
    await noteImports();
    const runner = join(root, 'node_modules/vitest/vitest.mjs');
    const args = [runner, 'run', '--root', copy.folder, places['hold.test.ts'] ?? ''];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: copy.folder });
    expect(stdout).toMatch(/3 passed/);

    const { url, keys } = await copy.start();
    const shop = new Api(url, keys.secretKey);
    const document = (await shop.must('GET', '/v1/openapi.json')).body.value as Json;
    const judge = judgeBy(document);
    const [create] = operationsOf(document).filter(({ operationId }) => operationId === 'createHold');
    const sent = create?.requestBody?.content['application/json']?.example as object;
    const made = (await shop.must('POST', '/v1/holds', sent)).body;
    const { body: again } = await shop.must('GET', `/v1/holds/${made.text('id')}`);
    expect(again.value).toEqual(made.value);
    expect(judge('/components/schemas/Hold', made.value)).toEqual([]);
    const example = create?.responses['201']?.content?.['application/json']?.example as Json;
    expect(judge('/components/schemas/Hold', example)).toEqual([]);
    expect(made.value).toEqual({ ...example, id: expect.any(String), until: expect.any(String) });
  },
  compileMsMax,
);
