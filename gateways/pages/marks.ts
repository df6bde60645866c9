/** A tile for each provider, so that buyers recognise theirs quickly. Served as files from our own address. */
import { catalog, providerNames } from '../../src/providers/catalog.ts';
import { walletDrawing } from '../../src/providers/drawings.ts';
import type { Tile } from '../../src/providers/traits.ts';

const drawn = ({ ground, drawing }: Tile): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">` +
  `<rect width="40" height="40" fill="${ground}"/><g fill="none" stroke="#fff" stroke-width="2.2" ` +
  `stroke-linecap="round" stroke-linejoin="round">${drawing}</g></svg>`;

const marks: ReadonlyMap<string, string> = new Map(
  providerNames.map((provider) => [provider, drawn(catalog[provider].tile)]),
);

const other = drawn({ ground: '#4a4f55', drawing: walletDrawing });

/** The tile of a provider; one shared tile for providers without their own. */
export const markOf = (provider: string): string => marks.get(provider) ?? other;

/** Every provider that has a tile of its own. */
export const markedProviders: readonly string[] = providerNames;
