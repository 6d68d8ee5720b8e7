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
  const [certFile, keyFile] = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
  const ca = await createAuthority('units');
  const write = async ({ cert, key }: Certificate) => {
    await writeFile(`${certFile}`, cert);
    await writeFile(`${keyFile}`, key);
  };
  await write(await createCertificate(ca, 'gateway'));
  const settings = { MQTT_TLS_CERT: `${certFile}`, MQTT_TLS_KEY: `${keyFile}` };
  return { ca, settings, write };
}

function login({ mqttsPort: port, serial }: TestGateway, ca: Certificate): UnitLogin {
  return { port, serial, options: { protocol: 'mqtts', ca: ca.cert } };
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
