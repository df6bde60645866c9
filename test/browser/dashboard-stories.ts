/** One service and one browser for the stories of a file about the dashboard.
 *  Boundary: what happens on the screen is the story's. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { startGalla, type Galla } from '../support/galla.ts';
import { assertBuilt } from './dashboard-rig.ts';
import { browserIsHere, openBrowser } from './rig.ts';

/** A service and a browser, there while the stories of one file run. */
export interface Rig {
  readonly house: Galla;
  readonly browser: Browser;
}

export function describeDashboard(suite: string, stories: (rig: Rig) => void): void {
  describe.skipIf(!browserIsHere())(suite, { timeout: 60_000 }, () => {
    const opened: { house?: Galla; browser?: Browser } = {};
    const rig: Rig = {
      get house() {
        return there(opened.house);
      },
      get browser() {
        return there(opened.browser);
      },
    };
    beforeAll(async () => {
      assertBuilt();
      opened.house = await startGalla();
      opened.browser = await openBrowser();
    }, 60_000);
    afterAll(async () => {
      await opened.browser?.close();
      await opened.house?.stop();
    });
    stories(rig);
  });
}

function there<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('only while the stories run');
  return part;
}
