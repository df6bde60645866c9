// Receives the webhooks of a running sandbox, verifies each and says what came. Run it in the folder of the project:
//   node docs/guides/receive-webhooks.mjs [address of the service] [secret sandbox key]
// Without arguments it takes the service of `npm start` and the key of its demo merchant, from the data folder
// (GALLA_DATA_DIR, like the service). Ctrl-C or SIGTERM ends it, and removes its endpoint.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';

// whatever ends it is said in one line
process.once('uncaughtException', (error) => {
  console.error(`${error.message}. Is Galla running here? Give its address and a secret sandbox key as arguments.`);
  process.exit(1);
});
const dataDir = process.env.GALLA_DATA_DIR || '.galla';
const demoKey = () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')).secretKey;
const [service = 'http://127.0.0.1:8080', key = demoKey()] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
let webhook;

const shop = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    // verify the bytes as they came; JSON that was parsed and written again is another text
    const body = Buffer.concat(chunks).toString('utf8');
    try {
      const event = webhook.verify(body, request.headers);
      console.log(`${event.type}  ${event.data.id}  ${event.data.status ?? ''}  verified, ${event.id}`);
      response.writeHead(200).end();
    } catch (error) {
      console.log(`refused: ${error.message}`);
      response.writeHead(400).end();
    }
  });
});

shop.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${shop.address().port}/hooks`;
  const asked = { method: 'POST', headers, body: JSON.stringify({ url }) };
  const answer = await fetch(`${service}/v1/webhooks`, asked).catch(() => {
    throw new Error(`Nothing answers at ${service}`);
  });
  const endpoint = await answer.json();
  if (answer.status !== 201) throw new Error(JSON.stringify(endpoint));
  webhook = new Webhook(endpoint.signing_secret);
  const leave = async () => {
    // a service that is gone keeps the endpoint: nothing more can be done here
    await fetch(`${service}/v1/webhooks/${endpoint.id}`, { method: 'DELETE', headers }).catch(() => undefined);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, leave);
  console.log(`listening at ${url} as ${endpoint.id}`);
});
