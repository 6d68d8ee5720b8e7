import { readFile, stat } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import type { ServerConfiguration } from '@visitor-counter/server/roles';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { parseEnvironmentFile } from '@visitor-counter/service/settings/environment';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Checks that the server can use its settings, that it knows all of them, and that they protect what is secret. */
export async function checkSettings(
  env: Environment,
  configuration: ServerConfiguration,
  known: ReadonlySet<string>,
  { settings, start }: Installation,
): Promise<Finding[]> {
  const findings = configuration.errors.map(({ message }) =>
    problem('settings', message, `Correct it in ${settings}, then: ${start}`),
  );
  const file = env['COUNTER_ENVIRONMENT'];
  if (file !== undefined) findings.push(...(await checkFile(file, known)));
  findings.push(...weakSettings(env, configuration, settings));
  return findings.length > 0 ? findings : [ok('settings', 'all can be used')];
}

/** The problem with the file of the settings, without which nothing else can be checked; undefined if it can be read. */
export async function findUnreadable(env: Environment): Promise<Finding | undefined> {
  const file = env['COUNTER_ENVIRONMENT'];
  const error =
    file &&
    (await readFile(file).then(
      () => undefined,
      (reason: Error) => reason,
    ));
  if (!error) return undefined;
  const advice = `Run: sudo chown root:visitor-counter ${file} && sudo chmod 640 ${file}`;
  return problem('settings', `${file} cannot be read: ${error.message}`, advice);
}

async function checkFile(file: string, known: ReadonlySet<string>): Promise<Finding[]> {
  const text = await readFile(file, 'utf8');
  const names = Object.keys(parseEnvironmentFile(text)).filter((name) => !isKnown(name, known));
  const unknown = names.map((name) =>
    warning(
      'settings',
      `${file} sets ${name}, which the server does not know`,
      'Is it misspelt? Correct or remove it.',
    ),
  );
  const { mode } = await stat(file);
  if ((mode & 0o004) === 0) return unknown;
  return [...unknown, problem('settings', `every user can read ${file}`, `Run: sudo chmod 640 ${file}`)];
}

/** Secrets may be in a file that `<name>_FILE` names; BACKUP_DIR is for commands; Node and OpenSSL have their own variables. */
function isKnown(name: string, known: ReadonlySet<string>): boolean {
  if (known.has(name) || /^(BACKUP_DIR$|NODE_|SSL_CERT_|OPENSSL_|PG|TZ$|LANG$|LC_)/.test(name)) return true;
  return name.endsWith('_FILE') && known.has(name.slice(0, -'_FILE'.length));
}

function weakSettings(
  env: Environment,
  { gateway, api, alerts }: ServerConfiguration,
  settings: string,
): Finding[] {
  const found: Finding[] = [];
  if (gateway?.plain && !isLoopback(gateway.plain.host)) {
    const finding = `units on ${gateway.plain.host}:${gateway.plain.port} send their secrets without encryption`;
    found.push(
      warning(
        'settings',
        finding,
        `Set MQTT_TLS_CERT and MQTT_TLS_KEY, and remove MQTT_ALLOW_PLAINTEXT, in ${settings}.`,
      ),
    );
  }
  if (api && !api.tls && !isLoopback(api.host) && api.trustedProxies.length === 0) {
    const finding = `callers on ${api.host}:${api.port} send their credentials without encryption, and units cannot enrol`;
    const advice = `Set HTTP_TLS_CERT and HTTP_TLS_KEY in ${settings}, or TRUSTED_PROXIES to the proxy that speaks HTTPS.`;
    found.push(warning('settings', finding, advice));
  }
  if (alerts?.mail && env['SMTP_ALLOW_PLAINTEXT'] === 'true') {
    const finding = 'the password of the mail server may be sent without encryption';
    found.push(
      warning(
        'settings',
        finding,
        `Remove SMTP_ALLOW_PLAINTEXT from ${settings}, unless the mail server is in this network.`,
      ),
    );
  }
  return found;
}

/** Whether only programs of this machine can connect to an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
