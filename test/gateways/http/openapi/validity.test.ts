/** The documents are valid OpenAPI 3.1, and clean under a linter's recommended rules. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentOfApi, merchantApi, operatorApi } from '../../../../gateways/http/openapi/documents.ts';
import { declaredOperations } from '../../../support/doors.ts';
import { root } from '../../../support/house.ts';

/** What is wrong with each document. */
async function problemsOf(documents: readonly string[]): Promise<readonly (readonly string[])[]> {
  const linter = spawn(process.execPath, [join(root, 'config/lint-openapi.mjs')]);
  linter.stdin.end(documents.join('\n'));
  const [said, errors] = await Promise.all([text(linter.stdout), text(linter.stderr)]);
  expect(errors).toBe('');
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as readonly string[]);
}

test('both documents are valid and clean; the linter sees what is not', async () => {
  const [merchants, operators] = [merchantApi, operatorApi].map((api) =>
    JSON.stringify(documentOfApi(api, declaredOperations, 'https://pay.galla.test')),
  );
  if (merchants === undefined || operators === undefined) throw new Error('two documents');
  const [ofMerchants, ofOperators, noExample, unused, noOperation] = await problemsOf([
    merchants,
    operators,
    merchants.replace('"example":{', '"example":{"openapi":1,"id":1,'),
    merchants.replace('"schemas":{', '"schemas":{"Unused":{"type":"object"},'),
    merchants.replace('"responses":{', '"response":{'),
  ]);
  expect(ofMerchants).toEqual([]);
  expect(ofOperators).toEqual([]);
  expect(noExample?.join()).toMatch(/^no-invalid-media-type-examples/);
  expect(unused?.join()).toMatch(/^no-unused-components/);
  expect(noOperation?.join()).toMatch(/^schema: /);
}, 60_000);
