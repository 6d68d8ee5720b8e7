import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect as connectPlain, type TcpNetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { type Certificate, createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { eventually } from '@visitor-counter/test/eventually';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { connectUnit, type UnitLogin } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import { entries, stored } from '../../test/crossings.ts';
import { type RunningGateway, startOn, startTestGateway, type TestGateway } from '../../test/test-gateway.ts';

interface TlsFiles {
  readonly ca: Certificate;
  readonly settings: Record<string, string>;
  write(server: Certificate): Promise<void>;
}

async function tlsFiles(): Promise<TlsFiles> {
  const folder = await temporaryFolder();
  const [certFile, keyFile, caFile] = ['cert.pem', 'key.pem', 'ca.pem'].map((name) => join(folder, name));
  const ca = await createAuthority('units');
  const write = async ({ cert, key }: Certificate) => {
    await writeFile(`${certFile}`, cert);
    await writeFile(`${keyFile}`, key);
  };
  await write(await createCertificate(ca, 'gateway'));
  await writeFile(`${caFile}`, ca.cert);
  const settings = { MQTT_TLS_CERT: `${certFile}`, MQTT_TLS_KEY: `${keyFile}`, CA_FILE: `${caFile}` };
  return { ca, settings, write };
}

function login({ mqttsPort: port, serial }: TestGateway, ca: Certificate, own?: Certificate): UnitLogin {
  return { port, serial, options: { protocol: 'mqtts', ca: ca.cert, ...own } };
}

test('accepts units over TLS, and without TLS only if it is allowed', async () => {
  const { ca, settings } = await tlsFiles();
  const gateway = await startTestGateway({}, settings);

  const unit = await connectUnit(login(gateway, ca));
  await unit.crossings('j1', 1, entries(1, 300));

  expect(await stored(gateway)).toHaveLength(300);
  expect(gateway.mqttPort).toBeNaN();
  const otherAuthority = await createAuthority('other units');
  await expect(connectUnit(login(gateway, otherAuthority))).rejects.toThrow();
});

test('accepts a client certificate only for its own serial, and only from the authority', async () => {
  const { ca, settings } = await tlsFiles();
  const gateway = await startTestGateway({}, { ...settings, MQTT_TLS_CLIENT_CA: settings['CA_FILE'] });
  const { serial, other } = gateway;
  const otherAuthority = await createAuthority('other units');

  await connectUnit(login(gateway, ca));
  await connectUnit(login(gateway, ca, await createCertificate(ca, serial)));
  await connectUnit(login(gateway, ca, await createCertificate(ca, 'unit', [serial])));
  const ofOther = connectUnit(login(gateway, ca, await createCertificate(ca, other)));
  await expect(ofOther).rejects.toMatchObject({ code: 5 });
  await expect(
    connectUnit(login(gateway, ca, await createCertificate(otherAuthority, serial))),
  ).rejects.toThrow();
});

test('refuses a client without a certificate if one is required', async () => {
  const { ca, settings } = await tlsFiles();
  const required = { MQTT_TLS_CLIENT_CA: settings['CA_FILE'], MQTT_TLS_CLIENT_CERT: 'required' };
  const gateway = await startTestGateway({}, { ...settings, ...required });

  await expect(connectUnit(login(gateway, ca))).rejects.toThrow();
  await connectUnit(login(gateway, ca, await createCertificate(ca, gateway.serial)));
});

test('presents the certificate in the files to new connections, and the old one while the files do not match', async () => {
  const { ca, settings, write } = await tlsFiles();
  const gateway = await startTestGateway({ reloadInterval: 50 }, settings);
  const unit = await connectUnit(login(gateway, ca));
  const shownName = async () => {
    const socket = connect({ port: gateway.mqttsPort, host: '127.0.0.1', ca: ca.cert });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().subject.CN;
  };
  const [next, torn] = [await createCertificate(ca, 'renewed'), await createCertificate(ca, 'torn')];

  await write(next);
  await expect.poll(shownName).toBe('renewed');
  await write({ cert: torn.cert, key: next.key });
  await unit.publish('status', 'online');

  expect(await shownName()).toBe('renewed');
});

test('continues with the previous authorities and certificate while the file of authorities is invalid', async () => {
  const { ca, settings, write } = await tlsFiles();
  const caFile = `${settings['CA_FILE']}`;
  const complaints: string[] = [];
  const lines = { write: (line: string) => void complaints.push(String(JSON.parse(line).reason)) };
  const env = {
    ...settings,
    LOG_LEVEL: 'error',
    MQTT_TLS_CLIENT_CA: caFile,
    MQTT_TLS_CLIENT_CERT: 'required',
  };
  const gateway = await startTestGateway({ reloadInterval: 50 }, env, lines);
  const own = await createCertificate(ca, gateway.serial);
  const next = await createAuthority('next');

  await write(await createCertificate(next, 'renewed'));
  for (const content of ['', ca.cert.slice(0, 300), 'garbage']) {
    complaints.length = 0;
    await writeFile(caFile, content);
    await expect.poll(() => complaints.at(-1)).toContain(`MQTT_TLS_CLIENT_CA is "${caFile}"`);
    await connectUnit(login(gateway, ca, own));
    const start = startTestGateway({}, env);
    await expect(start).rejects.toMatchObject({ code: 'configuration', setting: 'MQTT_TLS_CLIENT_CA' });
  }

  await writeFile(caFile, `${ca.cert}\n${next.cert}`);
  await eventually(() => connectUnit(login(gateway, next, own)));
});

test.each([
  {
    when: 'in the handshake',
    open: (address: TcpNetConnectOpts) => connectPlain(address),
    opened: 'connect',
  },
  { when: 'in the login', open: (address: ConnectionOptions) => connect(address), opened: 'secureConnect' },
])(
  'accepts no more connections than allowed while they are $when, and ends those that stay there',
  async ({ open, opened }) => {
    const { ca, settings } = await tlsFiles();
    const one = { ...settings, MQTT_MAX_CONNECTIONS_PER_ADDRESS: '1' };
    const patient = await startTestGateway({}, { ...one, MQTT_LOGIN_SECONDS: '600' });
    const silentOn = async ({ mqttsPort: port }: RunningGateway) => {
      const silent = open({ port, host: '127.0.0.1', ca: ca.cert });
      silent.on('error', () => {});
      onTestFinished(() => void silent.destroy());
      await once(silent, opened);
      return silent;
    };
    await silentOn(patient);
    await expect(connectUnit(login(patient, ca))).rejects.toThrow();

    const gateway = { ...patient, ...(await startOn(patient.url, {}, { ...one, MQTT_LOGIN_SECONDS: '1' })) };
    const ending = await silentOn(gateway);
    if (!ending.closed) await once(ending, 'close');
    await eventually(() => connectUnit(login(gateway, ca)));
  },
);
