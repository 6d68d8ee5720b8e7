import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecentLines } from '@visitor-counter/agent/diagnosis/recent-lines';
import { startAgent } from '@visitor-counter/agent/runtime/start-agent';
import { makeEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { createLogger } from '@visitor-counter/service/logger';
import { runAdmin } from '@visitor-counter/test/admin';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { maxDiagnosisBytes } from '@visitor-counter/wire/limits';
import { expect, onTestFinished, test } from 'vitest';

const secret = 'correct horse/battery';

/** A gateway, a unit that is not started yet, and the operator's command line. */
async function unitToDiagnose() {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  await rows.device({ companyId, storeId, serial: 'CU-1', secret });
  const gateway = await startGatewayProcess(url);
  const folder = await temporaryFolder();
  const config = join(folder, 'unit.yaml');
  const unit = `server: mqtt://127.0.0.1:${gateway.ready['mqttPort']}
serial: CU-1\nsecret: ${secret}\njournal: journal\nuplink: { heartbeatSeconds: 1 }
beams: { source: replay, file: door.csv }\n`;
  await writeFile(config, unit);
  await writeFile(join(folder, 'door.csv'), '1000,a,1\n1200,b,1\n1400,a,0\n1600,b,0\n');
  const admin = (...args: string[]) => runAdmin(['device', ...args], { DATABASE_URL: url });
  const state = async () =>
    (
      await rows.query(
        `select heartbeat->>'recorded' as recorded, online_changed_at, online from device_state`,
      )
    )[0];
  const recorded = () => expect.poll(state).toMatchObject({ recorded: '1', online: true });
  const diagnosis = async () => {
    const [ordered] = JSON.parse(await admin('command', 'CU-1', 'diagnose', '--json'));
    const last = async () => JSON.parse(await admin('diagnose', 'cu-1', '--json')).diagnosis;
    await expect.poll(async () => (await last())?.commandId).toBe(ordered.id);
    return last();
  };
  return { config, unit, admin, diagnosis, state, recorded };
}

test('diagnoses a running unit without interrupting its connection, its beams or its heartbeats', async () => {
  const { config, admin, diagnosis, state, recorded } = await unitToDiagnose();
  const agent = await startService('agent', ['run', '--config', config], {});
  onTestFinished(() => agent.kill());
  await recorded();
  const before = await state();

  const { findings, log } = (await diagnosis()).report;
  const verdicts = new Map(
    findings.map((finding: { what: string; verdict: string; detail: string }) => [finding.what, finding]),
  );
  expect([...verdicts.keys()]).toEqual(
    expect.arrayContaining(['configuration', 'clock', 'network', 'door', 'disk', 'server port', 'login']),
  );
  expect(verdicts.get('login')).toMatchObject({
    verdict: 'ok',
    detail: expect.stringMatching(/running agent/),
  });
  expect(verdicts.get('beam a')).toMatchObject({ verdict: 'ok' });
  expect(log.join('\n')).toContain('connected to the server');
  expect(log.join('\n')).toContain('command received');
  expect(await state()).toEqual(before);
  expect(agent.output().match(/connected to the server/g)).toHaveLength(1);

  await expect.poll(() => admin('orders', 'CU-1')).toMatch(/diagnose.*\n +done/);
  const shown = await admin('diagnose', 'CU-1');
  expect(shown).toMatch(/^CU-1: diagnosis \d+ of .*Z\n✔ configuration/);
  expect(shown).toMatch(/The last \d+ lines of its log:\n\{"level":30/);
});

test('a diagnosis contains none of the secrets that are in the log and the configuration', async () => {
  const { config, unit, diagnosis, recorded } = await unitToDiagnose();
  const recentLines = new RecentLines({ write: () => {} });
  const log = createLogger('agent', {}, recentLines);
  const agent = await startAgent(config, { COUNTER_TOKEN: 'environment-token' }, log, { recentLines });
  onTestFinished(() => agent.close());
  await recorded();
  for (let line = 0; line < 5_000; line += 1) log.info({ line }, `authorization Bearer bearer-token-${line}`);
  const code = makeEnrolmentCode(new Uint8Array(13).fill(9), 'ABCDEFGHJKMNPQRS');
  const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIB\nshort\n-----END EC PRIVATE KEY-----';
  log.warn(
    { sent: { deep: { password: 'deep-password' }, url: `x?s=${encodeURIComponent(secret)}` } },
    `code ${code}`,
  );
  log.warn({ err: new Error(`refused ${secret}`), key }, 'wifi password: shop secret 1, really');
  recentLines.write(`not JSON: psk="wpa-password" ${Buffer.from(secret).toString('base64')}\n`);
  log.warn({ seen: 'environment-token' }, `last of ${code.toLowerCase()}`);
  log.warn({ err: new Error(`refused ${secret}`), key }, 'wifi password: shop secret 1, really');
  /* Somebody edits the file while the agent runs: the messages about it show parts of it. */
  const edits = [
    `${unit}wifi: { password: edited-secret\n`,
    unit.replace('mqtt://', 'mqtt://user:edited-secret@'),
    unit.replace(/secret: .*/, 'secret: [edited-secret]'),
  ];
  for (const edited of edits) {
    await writeFile(config, edited);
    const { report } = await diagnosis();
    const shown = JSON.stringify(report);
    expect(report.findings[0]).toMatchObject({ what: 'configuration', verdict: 'fail' });
    expect(report.omitted).toBeGreaterThan(0);
    expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThanOrEqual(maxDiagnosisBytes);
    expect(shown).toContain('[redacted]');
    for (const hidden of [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      code,
      'deep-password',
      'shop secret',
      'wpa-password',
      'MHcCAQEEIB',
      'bearer-token',
      'environment-token',
      'edited-secret',
    ])
      expect(shown).not.toContain(hidden);
  }
});
