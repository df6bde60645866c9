/** Draws every page a buyer can meet, for people to look at:
 *  `npx tsx test/browser/screens.ts [folder] [name]` writes `<name>-<language>-<width>[-dark].png`. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser, show } from './rig.ts';
import { samplesIn, statusBody } from './samples.ts';

const [folder = join(tmpdir(), 'galla-screens'), only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const pages = Object.fromEntries(
  (['en', 'ne'] as const).flatMap((language) => {
    const { all, auto } = samplesIn(language);
    return Object.entries({ ...all, ...auto }).map(([name, page]) => [`${name}-${language}`, page]);
  }),
);
const rig = await show(pages, statusBody);
const browser = await openBrowser();
for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [390, 1280]) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
      colorScheme,
      deviceScaleFactor: width === 390 ? 2 : 1,
      // Else the pages that send themselves are gone before they are drawn.
      javaScriptEnabled: false,
    });
    const tab = await context.newPage();
    for (const name of Object.keys(pages).filter((each) => only === undefined || each.startsWith(only))) {
      await tab.goto(`${rig.origin}/${name}`);
      await tab.screenshot({
        path: `${folder}/${name}-${width}${colorScheme === 'dark' ? '-dark' : ''}.png`,
        fullPage: true,
      });
    }
    await context.close();
  }
}
await browser.close();
await rig.close();
