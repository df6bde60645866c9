/** How the values of settings are read from their texts; `undefined` means: not allowed. */
import { isIP } from 'node:net';
import { isLoopback } from './loopback.ts';
import { days, hours, minutes, type DurationMs } from './time.ts';

export const onOff = (text: string): boolean | undefined =>
  text === 'on' ? true : text === 'off' ? false : undefined;

export function integer(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

const unitsMs = { m: minutes(1), h: hours(1), d: days(1) } as const;

/** `90m`, `24h`, `7d`, in milliseconds. */
export function duration(msMin: DurationMs, msMax: DurationMs): (text: string) => DurationMs | undefined {
  return (text) => {
    const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    if (count === undefined) return undefined;
    const ms = Number(count) * unitsMs[unit as keyof typeof unitsMs];
    return ms >= msMin && ms <= msMax ? ms : undefined;
  };
}

export const oneOf =
  <Text extends string>(...texts: readonly Text[]): ((text: string) => Text | undefined) =>
  (text) =>
    texts.find((each) => each === text);

/** http or https, without credentials, query and fragment; a trailing slash is dropped. */
export function httpAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.href.replace(/\/+$/, '');
}

/** Credentials travel there, so plain http is only for this machine. */
export function providerAddress(text: string): string | undefined {
  const address = httpAddress(text);
  if (address === undefined) return undefined;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(hostname) ? address : undefined;
}

/** The same for an address that a form is posted to: a trailing slash is part of it. */
export const formAddress = (text: string): string | undefined =>
  providerAddress(text) === undefined ? undefined : new URL(text).href;

/** Every address of the list is one of a NATS server. */
export function natsAddresses(text: string): string | undefined {
  const each = text.split(',').map((one) => one.trim());
  const fine = (one: string): boolean => /^(?:nats|tls):\/\/\S+$/.test(one) && URL.canParse(one);
  return each.every(fine) ? each.join(',') : undefined;
}

export function keyOf32Bytes(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return /^[A-Za-z0-9+/]{43}=$/.test(text) && bytes.length === 32 ? bytes : undefined;
}

/** Addresses and networks: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
export function networks(text: string): readonly string[] | undefined {
  const each = text.split(',').map((one) => one.trim());
  const fine = (one: string): boolean => {
    const [address = '', bits, more] = one.split('/');
    const family = isIP(address);
    if (family === 0 || more !== undefined) return false;
    return bits === undefined || integer(1, family === 4 ? 32 : 128)(bits) !== undefined;
  };
  return each.every(fine) ? each : undefined;
}

/** Visible ASCII, so that it is valid in a header. */
export const token = (text: string): string | undefined =>
  /^[\x21-\x7e]{16,256}$/.test(text) ? text : undefined;

/** Of a mail server: host, port, user and password. */
export function smtpAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const plain = (pathname === '' || pathname === '/') && search === '' && hash === '';
  return plain && hostname !== '' && (protocol === 'smtp:' || protocol === 'smtps:') ? text : undefined;
}

export interface MailSender {
  readonly name: string;
  readonly address: string;
}

/** `pay@example.com` or `Galla <pay@example.com>`. */
export function sender(text: string): MailSender | undefined {
  const match = /^(?:([^<>"\p{Cc}]{1,100}?)?\s*<([^<>]*)>|([^<>]*))$/u.exec(text.trim());
  const address = match?.[2] ?? match?.[3] ?? '';
  const isAddress = address.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9.-]+$/.test(address);
  return isAddress ? { name: match?.[1] ?? '', address } : undefined;
}

/** `undefined` from `read` means: not allowed. */
export interface Setting<Value> {
  readonly name: string;
  /** The default as text, the way a person would write it; null: no value unless set. */
  readonly default: string | null;
  /** Completes the sentence "must be ...". */
  readonly allowed: string;
  readonly reason: string;
  /** Never shown in a message. */
  readonly secret?: true;
  readonly read: (text: string) => Value | undefined;
}

export const setting = <Value>(row: Setting<Value>): Setting<Value> => row;
