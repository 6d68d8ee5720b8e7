import type { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { ServerConfiguration } from '@visitor-counter/server/roles';
import {
  type CertificateFiles,
  certificatesIn,
  readCertificates,
} from '@visitor-counter/service/certificates';
import { isLoopback } from '@visitor-counter/service/listen';
import { type Environment, parseEnvironmentFile } from '@visitor-counter/service/settings/environment';
import { counted, type Finding, type Installation, ok, problem, warning } from './finding.ts';

/** Checks that the server can use its settings and knows all of them, and that they protect secrets. */
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

/** Secrets may be in a file that `<name>_FILE` names; Node, OpenSSL and others have their own variables. */
function isKnown(name: string, known: ReadonlySet<string>): boolean {
  if (known.has(name) || /^(NODE_|SSL_CERT_|OPENSSL_|PG|TZ$|LANG$|LC_)/.test(name)) return true;
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

/** Checks the certificates of gateway and api: that they can be read, for which time, and for which names. */
export async function checkCertificates(
  { gateway, api }: ServerConfiguration,
  installation: Installation,
): Promise<Finding[]> {
  const mqttHost = URL.parse(api?.units.mqttUrl ?? '')?.hostname;
  const found: Finding[] = [];
  if (gateway?.secure) found.push(...(await checkPair(gateway.secure, mqttHost, installation)));
  /* They usually use the same files. */
  if (api?.tls && !(gateway?.secure && isSamePair(api.tls, gateway.secure)))
    found.push(...(await checkPair(api.tls, undefined, installation)));
  return found.length > 0 ? found : [ok('certificates', 'none is used: without TLS')];
}

function isSamePair(one: CertificateFiles, other: CertificateFiles): boolean {
  return one.certFile === other.certFile && one.keyFile === other.keyFile;
}

async function checkPair(
  files: CertificateFiles,
  host: string | undefined,
  { settings, start }: Installation,
): Promise<Finding[]> {
  const { certFile, keyFile, settings: prefix } = files;
  const read = await readCertificates(files).catch((error: Error) => error);
  if (read instanceof Error) {
    const advice = `Correct ${prefix}_CERT and ${prefix}_KEY in ${settings}; the user of the server must be able to read both files. Then: ${start}`;
    return [problem('certificates', read.message, advice)];
  }
  const chain = certificatesIn(String(read.cert));
  const found = [judgeCertificates(certFile, chain, Date.now())];
  if (host && chain[0] && !isFor(chain[0], host)) {
    const advice = `Make a certificate for ${host}, or correct PUBLIC_MQTT_URL in ${settings}.`;
    found.push(problem('certificates', `${certFile} is not for ${host}, where units connect`, advice));
  }
  const { mode } = await stat(keyFile);
  if ((mode & 0o004) !== 0)
    found.push(problem('certificates', `every user can read ${keyFile}`, `Run: sudo chmod o= ${keyFile}`));
  return found;
}

function isFor(certificate: X509Certificate, host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return (isIP(address) ? certificate.checkIP(address) : certificate.checkHost(address)) !== undefined;
}

const day = 24 * 60 * 60_000;

/** Renewals by machines happen weeks before the end (ms). */
const warnBefore = 14 * day;

/** Judges the validity of a server's certificate and those between it and its root, at `now` (epoch ms). */
function judgeCertificates(
  file: string,
  chain: readonly Pick<X509Certificate, 'validFromDate' | 'validToDate'>[],
  now: number,
): Finding {
  const until = Math.min(...chain.map(({ validToDate }) => validToDate.getTime()));
  const from = Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime()));
  const date = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const renew = `Renew it; the server reads ${file} again within seconds.`;
  if (until <= now) return problem('certificates', `${file} expired on ${date(until)}`, renew);
  if (from > now) {
    return problem(
      'certificates',
      `${file} is valid from ${date(from)} on`,
      'Check the clock of this machine, and the certificate.',
    );
  }
  const left = Math.floor((until - now) / day);
  if (until - now < warnBefore)
    return warning('certificates', `${file} expires on ${date(until)}, in ${daysText(left)}`, renew);
  return ok('certificates', `${file} is valid until ${date(until)}, for ${left} days`);
}

function daysText(days: number): string {
  return days === 0 ? 'less than a day' : counted(days, 'day');
}
