import type { ServerOpts } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import {
  type CertificateFiles,
  certificateFiles,
  keepTls,
  readCertificates,
} from '@visitor-counter/service/certificates';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { pemFile } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import type { GatewayParts } from '../gateway-parts.ts';

/**
 * Creates a TLS server that does not listen yet. `tcp`: options of the sockets. `onConnection` is called after the handshake.
 * Throws ConfigurationError.
 */
export async function createTlsServer(
  files: CertificateFiles,
  tcp: ServerOpts,
  { limits, instruments, ownLog }: GatewayParts,
  onConnection: (socket: TLSSocket) => void,
): Promise<Server> {
  const current = await readCertificates(files);
  const options = { ...current, ...tcp, handshakeTimeout: limits.loginWithin };
  const server = createServer(options, onConnection);
  server.on('tlsClientError', (error) => ownLog.debug({ err: error }, 'TLS handshake failed'));
  const onUse = instruments.access.certificatesUsed;
  keepTls({ server, files, current, interval: limits.reloadInterval, log: ownLog, onUse });
  return server;
}

export const tlsSettings = {
  MQTT_TLS_CERT: {
    kind: pemFile,
    does: 'The certificate of the gateway and those between it and its root. The files are read again when they change. See [TLS](operators.md#tls).',
  },
  MQTT_TLS_KEY: { kind: pemFile, does: 'The key of that certificate.' },
} satisfies Settings;

/** Undefined where no TLS is configured. Throws a ConfigurationError when a part is missing. */
export function readTls(env: Environment): CertificateFiles | undefined {
  const { MQTT_TLS_CERT, MQTT_TLS_KEY } = readSettings(tlsSettings, env);
  return certificateFiles('MQTT_TLS', MQTT_TLS_CERT, MQTT_TLS_KEY);
}
