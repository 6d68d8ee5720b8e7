import { readFile, stat } from 'node:fs/promises';
import type { ServerConfiguration } from '@visitor-counter/server/roles';
import { isLoopback } from '@visitor-counter/service/listen';
import { type Environment, parseEnvironmentFile } from '@visitor-counter/service/settings/environment';
import { type Finding, foundOr, ok, type Possible, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/**
 * The file of the settings, if the installation has one. One that cannot be read is a problem, without whose solution nothing
 * else can be checked.
 */
export async function readSettingsFile(file: string | undefined): Promise<string | Finding | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, 'utf8').catch((error: Error) => {
    const advice = `Run: sudo chown root:visitor-counter ${file} && sudo chmod 640 ${file}`;
    return problem('settings', `${file} cannot be read: ${error.message}`, advice);
  });
}

/** Checks that the server can use its settings and knows all of them, and that they protect secrets. */
export async function checkSettings(
  env: Environment,
  configuration: ServerConfiguration,
  { text = '', known }: { readonly text: string | undefined; readonly known: ReadonlySet<string> },
  { settings, start }: Installation,
): Promise<Finding[]> {
  const { COUNTER_ENVIRONMENT: file } = env;
  const unknown = Object.keys(parseEnvironmentFile(text)).filter((name) => !isKnown(name, known));
  return foundOr(ok('settings', 'all can be used'), [
    ...configuration.errors.map(({ message }) =>
      problem('settings', message, `Correct it in ${settings}, then: ${start}`),
    ),
    ...unknown.map((name) =>
      warning('settings', `${file} sets ${name}, which the server does not know`, 'Correct or remove it.'),
    ),
    file !== undefined && (await isReadableByAll(file)) && readableByAll('settings', file),
    ...weakSettings(env, configuration, settings),
  ]);
}

/** Secrets may be in a file that `<name>_FILE` names; Node, OpenSSL and others have their own variables. */
function isKnown(name: string, known: ReadonlySet<string>): boolean {
  if (known.has(name) || /^(NODE_|SSL_CERT_|OPENSSL_|PG|TZ$|LANG$|LC_)/.test(name)) return true;
  return name.endsWith('_FILE') && known.has(name.slice(0, -'_FILE'.length));
}

export async function isReadableByAll(file: string): Promise<boolean> {
  return ((await stat(file)).mode & 0o004) !== 0;
}

export function readableByAll(check: string, file: string): Finding {
  return problem(check, `every user can read ${file}`, `Run: sudo chmod o= ${file}`);
}

function weakSettings(
  env: Environment,
  { gateway, api, alerts }: ServerConfiguration,
  settings: string,
): Possible[] {
  const weak = (finding: string, advice: string) =>
    warning('settings', `${finding} without encryption`, `${advice} in ${settings}.`);
  const { plain } = gateway ?? {};
  return [
    plain &&
      !isLoopback(plain.host) &&
      weak(`units on ${plain.host}:${plain.port} send their secrets`, 'Set MQTT_TLS_CERT and MQTT_TLS_KEY'),
    api &&
      !(api.tls || isLoopback(api.host) || api.trustedProxies.length > 0) &&
      weak(
        `callers on ${api.host}:${api.port} send their credentials, and units cannot enrol,`,
        'Set HTTP_TLS_CERT and HTTP_TLS_KEY, or TRUSTED_PROXIES to the proxy that speaks HTTPS,',
      ),
    alerts?.mail &&
      env['SMTP_ALLOW_PLAINTEXT'] === 'true' &&
      weak(
        'the password of the mail server may be sent',
        'Unless it is in this network: remove SMTP_ALLOW_PLAINTEXT',
      ),
  ];
}
