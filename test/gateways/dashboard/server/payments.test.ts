/** What the dashboard answers about payments beyond the API: descriptions of sessions, for buyers without a name. */
import { expect, test } from 'vitest';
import { idsMax } from '../../../../gateways/dashboard/server/ids.ts';
import { mintId } from '../../../../src/kernel/id.ts';
import { merchantWithLogin, Page } from '../../../support/dashboard.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { expectRefusal } from '../../../support/refusal.ts';

const galla = gallaOfFile();

async function shopOf(email: string) {
  const owner = await merchantWithLogin(galla.admin, { email });
  const page = new Page(galla.url);
  await page.logIn(owner);
  const api = galla.with(await galla.key(owner.projectId, { kind: 'secret', mode: 'sandbox' }));
  const base = `/dashboard/api/${owner.projectId}`;
  const sessionOf = async (fields: object): Promise<string> => {
    const body = { amount: 5_000, returnUrl: 'https://shop.example/return', ...fields };
    return (await api.must('POST', '/v1/checkout', body)).body.text('id');
  };
  const descriptions = (ids: readonly string[], mode = 'sandbox') =>
    page.get(`${base}/${mode}/descriptions?${new URLSearchParams({ ids: ids.join(',') })}`);
  return { sessionOf, descriptions };
}

test('each session with a description is named once; other texts, and sessions without one, are left out', async () => {
  const { sessionOf, descriptions } = await shopOf('named@example.com');
  const [tea, plain] = [await sessionOf({ description: 'Tea, 500 g' }), await sessionOf({})];
  const answer = await descriptions([plain, tea, tea, 'cs_short', mintId('cs'), mintId('pay'), '']);
  expect([answer.status, answer.body.value]).toEqual([
    200,
    { data: [{ id: tea, description: 'Tea, 500 g' }] },
  ]);
}, 30_000);

test('sessions of another project or mode are not there', async () => {
  const [ours, theirs] = [await shopOf('ours@example.com'), await shopOf('theirs@example.com')];
  const id = await theirs.sessionOf({ description: 'Secret' });
  const answers = [await ours.descriptions([id]), await theirs.descriptions([id], 'live')];
  expect(answers.map(({ body }) => body.value)).toEqual([{ data: [] }, { data: [] }]);
  expect((await theirs.descriptions([id])).body.value).toEqual({ data: [{ id, description: 'Secret' }] });
}, 30_000);

test('one query names the sessions of one page of a list: more are left out, and a longer text is refused', async () => {
  const { sessionOf, descriptions } = await shopOf('many@example.com');
  const id = await sessionOf({ description: 'Last' });
  const unknown = Array.from({ length: idsMax }, () => mintId('cs'));
  const given = async (ids: readonly string[]) => (await descriptions(ids)).body.value;
  expect(await given([...unknown.slice(1), id])).toEqual({ data: [{ id, description: 'Last' }] });
  expect(await given([...unknown, id])).toEqual({ data: [] });
  expectRefusal(await descriptions(['x'.repeat(65 * idsMax + 1)]), 'validation_failed', ['ids too_long']);
}, 30_000);
