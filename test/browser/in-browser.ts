/** Tests that open pages: skipped where there is no browser, which the closing lines of a run say. */
import type { Browser } from 'playwright-core';
import { describe } from 'vitest';
import { ofFile } from '../support/of-file.ts';
import { browserIsHere, openBrowser } from './rig.ts';

export const describeInBrowser = describe.skipIf(!browserIsHere());

/** One browser for the tests of a `describe`. */
export const browserOfFile = (): Browser => ofFile(openBrowser, (browser) => browser.close());
