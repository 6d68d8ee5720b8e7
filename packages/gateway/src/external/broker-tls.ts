import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { readAuthorities } from '@visitor-counter/service/certificates';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { pemFile } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';

/** The PEM files with which the gateway and an external broker authenticate each other. */
export interface BrokerTls {
  /** The CA that signs the broker's certificate; by default those that Node trusts. */
  readonly caFile?: string;
  /** The gateway's own certificate and its key, for brokers that require one. */
  readonly own?: { readonly certFile: string; readonly keyFile: string };
}

/** The contents of the files. */
export interface BrokerFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export const brokerTlsSettings = {
  MQTT_URL_CA: {
    kind: pemFile,
    otherwise: 'the authorities that Node trusts',
    does: 'The CA that signs the certificate of that broker.',
  },
  MQTT_URL_CERT: { kind: pemFile, does: "The gateway's own certificate, if that broker requires one." },
  MQTT_URL_KEY: { kind: pemFile, does: 'The key of that certificate.' },
} satisfies Settings;

/**
 * Undefined when none of the files is set. Throws a ConfigurationError for half a pair, and for a connection that would
 * not be encrypted.
 */
export function readBrokerTls(env: Environment, protocol: string): BrokerTls | undefined {
  const {
    MQTT_URL_CA: caFile,
    MQTT_URL_CERT: certFile,
    MQTT_URL_KEY: keyFile,
  } = readSettings(brokerTlsSettings, env);
  if (caFile === undefined && certFile === undefined && keyFile === undefined) return undefined;
  if (protocol !== 'mqtts:')
    throw new ConfigurationError(
      'MQTT_URL',
      '…',
      'mqtts://, which MQTT_URL_CA, MQTT_URL_CERT and MQTT_URL_KEY require',
    );
  if (certFile === undefined && keyFile !== undefined) throw missing('MQTT_URL_CERT');
  if (certFile !== undefined && keyFile === undefined) throw missing('MQTT_URL_KEY');
  return {
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && keyFile !== undefined && { own: { certFile, keyFile } }),
  };
}

/**
 * Reads the files, for each connection, so that the next connection uses renewed ones. Throws a ConfigurationError that
 * names the file that cannot be used.
 */
export async function loadBrokerTls({ caFile, own }: BrokerTls = {}): Promise<BrokerFiles> {
  const options: BrokerFiles = {
    ...(caFile !== undefined && { ca: await readAuthorities('MQTT_URL_CA', caFile) }),
    ...(own && {
      cert: await read('MQTT_URL_CERT', own.certFile),
      key: await read('MQTT_URL_KEY', own.keyFile),
    }),
  };
  try {
    createSecureContext(options);
    return options;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [setting, file] = own ? ['MQTT_URL_CERT', own.certFile] : ['MQTT_URL_CA', caFile];
    throw new ConfigurationError(setting ?? '', file, `PEM that can be used (${reason})`);
  }
}

async function read(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new ConfigurationError(setting, file, 'a file that can be read');
  }
}

function missing(setting: string): ConfigurationError {
  return new ConfigurationError(setting, undefined, 'a PEM file: a certificate and its key belong together');
}
