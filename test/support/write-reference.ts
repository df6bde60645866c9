/** `npm run reference`: brings the generated parts of the documentation up to date, and the dashboard of Grafana. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runbook, runbookPath } from './alerts.ts';
import { dashboard, dashboardPath } from './grafana.ts';
import { read, root } from './house.ts';
import { folder, newPage, referencePages, withGenerated } from './reference.ts';

mkdirSync(join(root, folder), { recursive: true });
writeFileSync(join(root, dashboardPath), dashboard());
for (const [path, generated] of [...referencePages(), [runbookPath, [runbook()]] as const]) {
  const text = existsSync(join(root, path)) ? withGenerated(read(path), generated) : newPage(path, generated);
  if (text === null) process.stderr.write(`${path} has no marks for its generated part\n`);
  else writeFileSync(join(root, path), text);
}
