/** What `galla doctor` reads in the settings: what is allowed, and an operator should still know. */
import { allowsPrivateHosts, isCluster, type Settings } from '../../config.ts';
import { findingsOf, type Finding } from '../../kernel/finding.ts';
import { isLoopback } from '../../kernel/loopback.ts';

/** The examples in docker-compose.yml begin like this. */
const example = 'change-me';

export function configurationFindings(settings: Settings): readonly Finding[] {
  const { ok, warning } = findingsOf('settings');
  const reached = !isLoopback(settings.host);
  const said = [
    ...(settings.rateLimits ? [] : ['GALLA_RATE_LIMITS=off is for load tests: remove it']),
    ...(reached && allowsPrivateHosts(settings)
      ? [
          'WEBHOOK_ALLOW_PRIVATE_HOSTS=on: whoever has a sandbox key can read what private addresses answer; remove it',
        ]
      : []),
    ...(reached && settings.trustedProxies === null
      ? [
          `HOST=${settings.host} without GALLA_TRUSTED_PROXIES: limits by address count all clients of a proxy as one`,
        ]
      : []),
  ];
  return [
    ok(isCluster(settings) ? 'the settings of a node of a cluster' : 'the settings of an embedded service'),
    ...said.map(warning),
    ...baseUrlFindings(settings),
    ...(isCluster(settings) ? exampleFindings(settings) : []),
  ];
}

function baseUrlFindings(settings: Settings): readonly Finding[] {
  const { ok, warning, problem } = findingsOf('base-url');
  const { baseUrl, host } = settings;
  if (baseUrl === null) {
    if (isCluster(settings))
      return [
        problem(
          'BASE_URL is not set: buyers are sent to this one node; set the public address, the same everywhere',
        ),
      ];
    return isLoopback(host)
      ? [ok('BASE_URL is not set: buyers on this machine only')]
      : [warning('BASE_URL is not set: buyers are sent to HOST and PORT; set the public address')];
  }
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'http:' && !isLoopback(hostname))
    return [problem(`BASE_URL=${baseUrl}: browsers keep no login of the dashboard over http; use https`)];
  return [ok(`BASE_URL=${baseUrl}`)];
}

function exampleFindings({ adminToken, secretsKey }: Settings): readonly Finding[] {
  const { ok, problem } = findingsOf('secrets');
  const texts = {
    GALLA_ADMIN_TOKEN: adminToken ?? '',
    GALLA_SECRETS_KEY: secretsKey === null ? '' : Buffer.from(secretsKey).toString('latin1'),
  };
  const examples = Object.entries(texts).filter(([, text]) => text.startsWith(example));
  if (examples.length === 0) return [ok('GALLA_ADMIN_TOKEN and GALLA_SECRETS_KEY are set')];
  return examples.map(([name]) =>
    problem(`${name} is the example that everybody can read: make one with openssl rand -base64 32`),
  );
}
