import { readAuthorities } from '@visitor-counter/service/certificates';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { pemFile, textLike } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';

/** What units receive when they enrol. */
export interface UnitSettings {
  /** Where the gateway is; at the host of the request when left out. */
  readonly mqttUrl: string | undefined;
  /** The certificates that sign the gateway's, PEM; those by which the unit verifies the api when left out. */
  readonly mqttCa: string | undefined;
}

export const enrolmentSettings = {
  PUBLIC_MQTT_URL: {
    kind: textLike('mqtts://host:port or mqtt://host:port', isMqttUrl),
    otherwise: '`mqtts://<host of the request>:8883`',
    does: 'The address of the gateway that units receive when they [enrol](operators/companies.md#enrolment).',
  },
  PUBLIC_MQTT_CA: {
    kind: pemFile,
    otherwise: 'the CA of the api',
    does: 'The CA that signs the certificate of the gateway, for units that enrol.',
  },
} satisfies Settings;

/** Reads the address, and the file of the certificates. Throws a ConfigurationError. */
export async function readUnitSettings(env: Environment): Promise<UnitSettings> {
  const settings = readSettings(enrolmentSettings, env);
  return { mqttUrl: settings.PUBLIC_MQTT_URL, mqttCa: await readCa(settings.PUBLIC_MQTT_CA) };
}

function isMqttUrl(value: string): boolean {
  const url = URL.parse(value);
  return /^mqtts?:$/.test(url?.protocol ?? '') && url?.hostname !== '' && url?.username === '';
}

async function readCa(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : String(await readAuthorities('PUBLIC_MQTT_CA', file));
}
