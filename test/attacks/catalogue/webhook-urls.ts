/** Addresses of webhook endpoints that would lead into our own network, or nowhere: as a live merchant saves them. */
import { bearer, each, error, json, type Attack } from '../attack.ts';

const notAllowed = [
  'http://shop.example/hooks',
  'https://user:secret@shop.example/hooks',
  'https://shop.example:22/hooks',
  'https://shop.example:25/hooks',
  'https://127.0.0.1/hooks',
  'https://127.1/hooks',
  'https://2130706433/hooks',
  'https://0x7f000001/hooks',
  'https://0x7f.1/hooks',
  'https://0177.0.0.1/hooks',
  'https://0/hooks',
  'https://0.0.0.0/hooks',
  'https://10.0.0.1/hooks',
  'https://10.255.255.255/hooks',
  'https://172.16.0.1/hooks',
  'https://172.31.255.255/hooks',
  'https://192.168.1.1/hooks',
  'https://192.0.2.1/hooks',
  'https://198.18.0.1/hooks',
  'https://198.51.100.1/hooks',
  'https://203.0.113.1/hooks',
  'https://100.64.0.1/hooks',
  'https://169.254.169.254/latest/meta-data',
  'https://224.0.0.1/hooks',
  'https://255.255.255.255/hooks',
  'https://[::1]/hooks',
  'https://[::]/hooks',
  'https://[::ffff:127.0.0.1]/hooks',
  'https://[::ffff:7f00:1]/hooks',
  'https://[::127.0.0.1]/hooks',
  'https://[64:ff9b::7f00:1]/hooks',
  'https://[2002:7f00:1::]/hooks',
  'https://[fe80::1]/hooks',
  'https://[fec0::1]/hooks',
  'https://[fc00::1]/hooks',
  'https://[fd00:ec2::254]/hooks',
  'https://[ff02::1]/hooks',
  'https://[2001:db8::1]/hooks',
  'https://①②⑦.0.0.1/hooks',
  'https://127。0。0。1/hooks',
  'https://localhost/hooks',
  'https://LOCALHOST./hooks',
  'https://a.localhost/hooks',
  'ftp://shop.example/hooks',
  'file:///etc/passwd',
  'gopher://shop.example:70/_',
];

const noAddress = [
  'javascript:alert(1)',
  'data:text/plain,x',
  'mailto:a@shop.example',
  'https://shop\\.example@127.0.0.1/hooks',
  'https://127.0.0.1\\@shop.example/hooks',
  'https://',
  'https:///hooks',
  'https://[::1',
  'https://999.999.999.999/',
  'https://shop example/hooks',
  '//shop.example/hooks',
  'shop.example',
  '',
  ' ',
];

const all = (urls: readonly string[]): { readonly [url: string]: string } =>
  Object.fromEntries(urls.map((url) => [`webhook URL: ${url}`, url]));

const post = (url: string, key: string) => json('POST /v1/webhooks', [bearer(key)], { url });

export const webhookUrls: readonly Attack[] = [
  ...each(
    all(notAllowed),
    (url, { live }) => post(url, live),
    error('validation_failed', 'url url_not_allowed'),
  ),
  ...each(
    all(noAddress),
    (url, { live }) => post(url, live),
    error('validation_failed', 'url invalid_format'),
  ),
];
