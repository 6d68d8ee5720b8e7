import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ServerConfiguration } from '@visitor-counter/server/roles';
import {
  type CertificateFiles,
  certificatesIn,
  readCertificates,
} from '@visitor-counter/service/certificates';
import { counted } from '../command/text.ts';
import { isReadableByAll, readableByAll } from './check-settings.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Checks the certificates of gateway and api: that they can be read, for which time, and for which names. */
export async function checkCertificates(
  { gateway, api }: ServerConfiguration,
  installation: Installation,
): Promise<Finding[]> {
  const [ofGateway, ofApi] = [gateway?.secure, api?.tls];
  const host = URL.parse(api?.units.mqttUrl ?? '')?.hostname;
  /* They usually use the same files. */
  const isSame = ofGateway?.certFile === ofApi?.certFile && ofGateway?.keyFile === ofApi?.keyFile;
  const found = [
    ...(ofGateway ? await checkPair(ofGateway, host, installation) : []),
    ...(ofApi && !isSame ? await checkPair(ofApi, undefined, installation) : []),
  ];
  return found.length > 0 ? found : [ok('certificates', 'none is used: without TLS')];
}

async function checkPair(
  files: CertificateFiles,
  host: string | undefined,
  { settings, start }: Installation,
): Promise<Finding[]> {
  const { certFile, keyFile, settings: prefix } = files;
  const read = await readCertificates(files).catch((error: Error) => error);
  if (read instanceof Error) {
    const advice = `Correct ${prefix}_CERT and ${prefix}_KEY in ${settings}, which the server must be able to read; then: ${start}`;
    return [problem('certificates', read.message, advice)];
  }
  const chain = certificatesIn(String(read.cert));
  const found = [judgeValidity(certFile, chain, Date.now())];
  if (host && chain[0] && !isFor(chain[0], host)) {
    const advice = `Make a certificate for ${host}, or correct PUBLIC_MQTT_URL in ${settings}.`;
    found.push(problem('certificates', `${certFile} is not for ${host}, where units connect`, advice));
  }
  if (await isReadableByAll(keyFile)) found.push(readableByAll('certificates', keyFile));
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
function judgeValidity(file: string, chain: readonly X509Certificate[], now: number): Finding {
  const until = Math.min(...chain.map(({ validToDate }) => validToDate.getTime()));
  const from = Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime()));
  const date = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const renew = `Renew it; the server reads ${file} again within seconds.`;
  if (until <= now) return problem('certificates', `${file} expired on ${date(until)}`, renew);
  if (from > now)
    return problem(
      'certificates',
      `${file} is valid from ${date(from)} on`,
      'Check the clock of this machine.',
    );
  const left = counted(Math.floor((until - now) / day), 'day');
  if (until - now < warnBefore)
    return warning('certificates', `${file} expires on ${date(until)}, in ${left}`, renew);
  return ok('certificates', `${file} is valid until ${date(until)}, for ${left}`);
}
