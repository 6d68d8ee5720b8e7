import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';

const at = Date.UTC(2026, 0, 1);
const passage = `${at},a,1\n${at + 200},b,1\n${at + 400},a,0\n${at + 600},b,0\n`;

/** A gateway with TLS, and a function that starts a unit that counts one crossing. */
async function gatewayWithTls() {
  const folder = await temporaryFolder();
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const ca = await createAuthority('company');
  const { cert, key } = await createCertificate(ca, 'gateway');
  const caFile = await file('ca.pem', ca.cert);
  const { url, rows } = await oneDoor();
  const gateway = await startService('gateway', [], {
    DATABASE_URL: url,
    MQTTS_PORT: '0',
    METRICS_PORT: '0',
    MQTT_TLS_CERT: await file('cert.pem', cert),
    MQTT_TLS_KEY: await file('key.pem', key),
  });
  onTestFinished(() => gateway.kill());
  await file('door.csv', passage);
  const startUnit = async (settings: string, env: Record<string, string> = {}) => {
    const server = `mqtts://127.0.0.1:${gateway.ready['mqttsPort']}`;
    const unit = `serial: CU-1\nsecret: secret of CU-1\nserver: ${server}\njournal: journal\n${settings}
beams: { source: replay, file: door.csv }\n`;
    const agent = await startService('agent', ['run', '--config', await file('unit.yaml', unit)], env);
    onTestFinished(() => agent.kill());
    return agent;
  };
  const stored = () => rows.query('select from crossing');
  return { caFile, startUnit, stored };
}

test('a unit delivers over TLS to a server that a system authority has signed, and to no other', async () => {
  const { startUnit, stored, caFile } = await gatewayWithTls();

  const distrusting = await startUnit('');
  await expect.poll(() => distrusting.output()).toMatch(/no connection to the server: .*certificate/);
  expect(await stored()).toHaveLength(0);
  await distrusting.stop();

  await startUnit('', { SSL_CERT_FILE: caFile });
  await expect.poll(stored).toHaveLength(1);
});
