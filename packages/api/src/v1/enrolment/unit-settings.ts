import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, text } from '@visitor-counter/service/environment';

/** What units that enrol are told. */
export interface UnitSettings {
  /** Where the gateway is; at the host of the request when left out. */
  readonly mqttUrl: string | undefined;
  /** The certificates that sign the gateway's, PEM; those by which the unit knows the api when left out. */
  readonly mqttCa: string | undefined;
}

/** Reads `PUBLIC_MQTT_URL` and the file of `PUBLIC_MQTT_CA`. Throws ConfigurationError. */
export async function readUnitSettings(env: Environment): Promise<UnitSettings> {
  const mqttUrl = text(env, 'PUBLIC_MQTT_URL');
  if (mqttUrl !== undefined && !isMqttUrl(mqttUrl)) {
    throw new ConfigurationError('PUBLIC_MQTT_URL', mqttUrl, 'mqtts://host:port or mqtt://host:port');
  }
  return { mqttUrl, mqttCa: await readCa(text(env, 'PUBLIC_MQTT_CA')) };
}

function isMqttUrl(value: string): boolean {
  const url = URL.parse(value);
  return /^mqtts?:$/.test(url?.protocol ?? '') && url?.hostname !== '' && url?.username === '';
}

async function readCa(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const pem = await readFile(file, 'utf8').catch(() => '');
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new ConfigurationError('PUBLIC_MQTT_CA', file, 'a PEM file of certificates');
}
