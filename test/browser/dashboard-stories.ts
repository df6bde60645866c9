/** One service and one browser for the stories of a file about the dashboard.
 *  Boundary: what happens on the screen is the story's. */
import type { Browser } from 'playwright-core';
import { beforeAll } from 'vitest';
import type { Galla } from '../support/galla.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { assertBuilt } from './dashboard-rig.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';

/** A service and a browser, there while the stories of one file run. */
export interface Rig {
  readonly house: Galla;
  readonly browser: Browser;
}

export function describeDashboard(suite: string, stories: (rig: Rig) => void): void {
  describeInBrowser(suite, { timeout: 60_000 }, () => {
    beforeAll(assertBuilt);
    stories({ house: gallaOfFile(), browser: browserOfFile() });
  });
}
