/** Checks OpenAPI documents offline: by the official schema of OpenAPI 3.1, and by the recommended rules of Redocly's
 *  linter, examples included. Reads one document a line, writes one line for each: a JSON list of what is wrong.
 *  `curl -s http://127.0.0.1:8080/v1/openapi.json | node config/lint-openapi.mjs` */
import { createInterface } from 'node:readline';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    // the paths are published: /v1/webhooks/deliveries/{id} beside /v1/webhooks/{id}/deliveries
    'no-ambiguous-paths': 'off',
    // every error is described; a document that anybody may read has none of the client's
    'operation-4xx-response': 'off',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-schema-examples': 'error',
  },
});

async function problemsOf(text) {
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  const invalid = valid ? [] : [errors].flat().map((error) => `schema: ${JSON.stringify(error)}`);
  const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  const lint = found.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
  return [...invalid, ...lint];
}

let bad = false;
for await (const line of createInterface({ input: process.stdin })) {
  const problems = await problemsOf(line);
  bad ||= problems.length > 0;
  process.stdout.write(`${JSON.stringify(problems)}\n`);
}
process.exitCode = bad ? 1 : 0;
