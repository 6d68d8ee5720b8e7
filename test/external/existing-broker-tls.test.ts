import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { startMosquitto } from '@visitor-counter/test/mosquitto';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import mqtt from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';

const at = Date.UTC(2026, 10, 20, 10);

/** A Mosquitto that accepts only TLS with client certificates, and the files to connect to it. */
async function brokerWithTls() {
  const [brokers, clients, others] = await Promise.all(
    ['Brokers', 'Clients', 'Strangers'].map((name) => createAuthority(name)),
  );
  if (!brokers || !clients || !others) throw new Error('no authority');
  const server = await createCertificate(brokers, 'broker');
  const own = await createCertificate(clients, 'gateway');
  const foreign = await createCertificate(others, 'gateway');
  const mosquitto = await startMosquitto(
    { gateway: 'gateway', 'CU-1': 'unit' },
    { server, clientCa: clients.cert },
  );
  onTestFinished(() => mosquitto.close());
  const folder = await temporaryFolder();
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const settings = {
    MQTT_URL_CA: await file('ca', brokers.cert),
    MQTT_URL_CERT: await file('cert', own.cert),
    MQTT_URL_KEY: await file('key', own.key),
  };
  const untrusted = await file('other-ca', others.cert);
  const foreignFiles = {
    MQTT_URL_CERT: await file('other', foreign.cert),
    MQTT_URL_KEY: await file('other-key', foreign.key),
  };
  const unit = { ca: brokers.cert, cert: own.cert, key: own.key };
  return { mosquitto, settings, unit, wrong: [{ MQTT_URL_CA: untrusted }, foreignFiles] };
}

async function gatewayWith(databaseUrl: string, port: number, settings: Readonly<Record<string, string>>) {
  const gateway = await startService('gateway', [], {
    DATABASE_URL: databaseUrl,
    METRICS_PORT: '0',
    MQTT_CONNECTIONS: '2',
    MQTT_URL: `mqtts://gateway:gateway@127.0.0.1:${port}`,
    ...settings,
  });
  onTestFinished(async () => void (await gateway.stop()));
  const health = async () => (await fetch(`http://127.0.0.1:${gateway.ready['metricsPort']}/health`)).status;
  return { health, output: () => gateway.output() };
}

test('consumes a broker with TLS by its own authority, and shows a certificate of its own', async () => {
  const { url, rows } = await oneDoor();
  const { mosquitto, settings, unit } = await brokerWithTls();
  const { health } = await gatewayWith(url, mosquitto.port, settings);
  await expect.poll(health).toBe(200);

  const login = { clientId: 'CU-1', username: 'CU-1', password: 'unit', reconnectPeriod: 0, ...unit };
  const client = await mqtt.connectAsync(`mqtts://127.0.0.1:${mosquitto.port}`, login);
  onTestFinished(async () => void client.end(true));
  const crossings = JSON.stringify({ journal: 'j', first: 1, crossings: [[at, 1]] });
  await client.publishAsync('counter/v1/CU-1/crossings', crossings, { qos: 1 });

  await expect.poll(() => rows.query('select from crossing')).toHaveLength(1);
  await mosquitto.kill();
  await expect.poll(health).toBe(503);
  await mosquitto.start();
  await expect.poll(health).toBe(200);
});

test('does not connect to a broker with a certificate of another authority, nor to one that does not trust its own', async () => {
  const url = await testDatabase();
  const { mosquitto, settings, wrong } = await brokerWithTls();

  for (const files of wrong) {
    const { health, output } = await gatewayWith(url, mosquitto.port, { ...settings, ...files });
    await expect.poll(output).toContain('not connected to the broker');
    expect(await health()).toBe(503);
  }
});
