/** What of the guides no test runs, each with the reason: whole blocks, and lines of blocks that are run without them. Every
 *  other line of every other block is run by its guide's test, in its order, in a fresh folder. */

export interface NotRun {
  /** Its file in docs/guides. */
  readonly guide: string;
  /** How the block, or the line, begins. */
  readonly begins: string;
  readonly reason: string;
}

const registry = 'it fetches packages; the tests use those that are installed here';
const noBrowser = 'an element of the page; the script of the block is run without a browser';

export const blocksNotRun: readonly NotRun[] = [
  { guide: 'billing-job.md', begins: 'npm install nats', reason: registry },
  { guide: 'operate.md', begins: 'use galla', reason: 'for mongosh, at a MongoDB with users' },
  { guide: 'operate.md', begins: 'npm ci && npm run build', reason: 'needs a machine with systemd' },
  { guide: 'operate.md', begins: 'sudo sh -c ', reason: 'needs the user and the files of the systemd unit' },
  { guide: 'operate.md', begins: 'nats stream edit', reason: 'needs a NATS cluster of three servers' },
  { guide: 'operate.md', begins: 'npm i uWebSockets.js@github', reason: registry },
];

export const linesNotRun: readonly NotRun[] = [
  { guide: 'express-and-php.md', begins: 'npm init -y && npm install ', reason: registry },
  { guide: 'typed-client.md', begins: 'npm install ', reason: registry },
  ...['<img ', '<p ', '<script>', '</script>'].map((begins): NotRun => ({
    guide: 'accept-a-payment.md',
    begins,
    reason: noBrowser,
  })),
];
