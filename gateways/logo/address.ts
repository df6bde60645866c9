/** The public address of an uploaded logo. The merchant's document holds its path, so that it stays right when
 *  BASE_URL changes.
 *  1. Another picture has another address: browsers may keep each for ever. */
import { logoFormats, type LogoFormat } from '../../actors/logo/messages.ts';

const folder = '/logo/';
/** Characters of the picture's hash in its address. */
const versionCharacters = 12;

export const logoPath = (projectId: string, format: LogoFormat, sha256: string): string =>
  `${folder}${projectId}.${format}?v=${versionOf(sha256)}`;

export const versionOf = (sha256: string): string => sha256.slice(0, versionCharacters);

/** The project that a file name names; null when it cannot be one of ours. */
export function projectOfFile(file: string): string | null {
  const dot = file.lastIndexOf('.');
  return logoFormats.some((format) => format === file.slice(dot + 1)) ? file.slice(0, dot) : null;
}

/** Whether a merchant's logo was uploaded here, and not given as an address elsewhere. */
export const isUploaded = (logoUrl: string | null): boolean => logoUrl?.startsWith(folder) === true;

/** As anybody may open it. */
export const logoAddress = <Url extends string | null>(logoUrl: Url, baseUrl: string): Url | string =>
  isUploaded(logoUrl) ? `${baseUrl}${logoUrl}` : logoUrl;
