import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { applyFile } from '@visitor-counter/test/admin';
import { callOperation, naiveAmounts, perHalfHour } from '@visitor-counter/test/count-events';
import { recordedHalfHours, recordingFile } from '@visitor-counter/test/recording';
import { startService } from '@visitor-counter/test/service-process';
import { startedOnce } from '@visitor-counter/test/started-once';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { databaseOfFile } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

/**
 * The whole chain on the recording at its true dates: simulated beams, detector, journal, MQTT, gateway,
 * PostgreSQL, public interface; with every one of its processes killed while it runs.
 */
const secret = 'secret-of-the-recording';
const token = 'token-of-the-recording';
const topology = {
  companies: [
    {
      name: 'Acme',
      retentionMonths: 1_200,
      stores: [{ sid: 'S-1', name: 'Main Door', timeZone: 'America/Los_Angeles' }],
      devices: [{ serial: 'CU-0001', name: 'CU-0001', store: 'S-1', secret }],
      credentials: [{ kind: 'counts', label: 'test', value: token }],
    },
  ],
};
const recorded = recordedHalfHours();
const total = recorded.reduce((sum, halfHour) => sum + halfHour.in + halfHour.out, 0);

const played = startedOnce(async (atEnd) => {
  const folder = await temporaryFolder(atEnd);
  const databaseUrl = await databaseOfFile(atEnd);
  await applyFile(JSON.stringify(topology), { DATABASE_URL: databaseUrl });
  const kills = await playThroughKills(databaseUrl, folder);
  const api = await startService('api', [], { DATABASE_URL: databaseUrl, HTTP_PORT: '0' });
  const ask = (filter: Record<string, string>) =>
    callOperation(
      `http://127.0.0.1:${api.ready['httpPort']}/public/Service.asmx`,
      'GetCountsBySerialNumberAndDatePublic',
      {
        CompanyName: 'Acme',
        Token: token,
        SerialNumber: 'CU-0001',
        DateFrom: '2005-07-24',
        DateTo: '2005-11-05',
        ...filter,
      },
    );
  const [all, entries, exits] = [await ask({}), await ask({ In: 'true' }), await ask({ In: 'false' })];
  expect(await api.stop()).toBe(0);
  return { kills, all, entries, exits };
});

test('stores 19,597 entries and 18,837 exits once each although processes are killed meanwhile', () => {
  const { kills, all, entries, exits } = played();
  expect(kills).toBeGreaterThanOrEqual(6);
  expect(all).toHaveLength(19_597 + 18_837);
  expect(entries).toHaveLength(19_597);
  expect(exits).toHaveLength(18_837);
});

test('every half hour has the counts of the file', () => {
  const expected = (direction: 'in' | 'out') =>
    new Map(recorded.filter((half) => half[direction] > 0).map((half) => [half.local, half[direction]]));

  const { entries, exits } = played();
  expect(perHalfHour(entries)).toEqual(expected('in'));
  expect(perHalfHour(exits)).toEqual(expected('out'));
});

test('the amount after every event equals a simple count, over the end of summer time as well', () => {
  const { all, entries } = played();
  expect(all.map(({ Amount }) => Amount)).toEqual(naiveAmounts(all, entries));
  expect(all.some(({ DateTime }) => DateTime.startsWith('2005-10-30') && DateTime.endsWith('-07:00'))).toBe(
    true,
  );
  expect(all.some(({ DateTime }) => DateTime.startsWith('2005-10-30') && DateTime.endsWith('-08:00'))).toBe(
    true,
  );
});

/** Plays the recording while gateway and agent are killed alternately; returns the number of kills. */
async function playThroughKills(databaseUrl: string, folder: string): Promise<number> {
  const gatewayEnv = { DATABASE_URL: databaseUrl, MQTT_PORT: '0', METRICS_PORT: '0' };
  let gateway = await startService('gateway', [], gatewayEnv);
  const port = String(gateway.ready['mqttPort']);
  let acknowledged = 0;
  const startAgent = async () =>
    startService('agent', ['run', '--config', await unitFile(folder, port)], {}, (message) => {
      const { progress } = message as { progress?: { acknowledged: number } };
      acknowledged = progress?.acknowledged ?? acknowledged;
    });
  const untilAcknowledged = async (part: number) => {
    while (acknowledged < total * part) await delay(5);
  };
  let agent = await startAgent();
  let killed = 0;
  for (let round = 1; round <= 3; round += 1) {
    await untilAcknowledged(round / 5);
    await agent.kill();
    agent = await startAgent();
    await untilAcknowledged((round + 0.5) / 5);
    await gateway.kill();
    gateway = await startService('gateway', [], { ...gatewayEnv, MQTT_PORT: port });
    killed += 2;
  }
  await untilAcknowledged(1);
  for (const service of [agent, gateway]) expect(await service.stop(), service.output()).toBe(0);
  return killed;
}

async function unitFile(folder: string, port: string): Promise<string> {
  const file = join(folder, 'unit.yaml');
  const beams = {
    source: 'simulated',
    profile: fileURLToPath(recordingFile),
    timeZone: 'America/Los_Angeles',
    startsOn: '2005-07-24',
    overlays: [0],
    until: Date.parse('2005-11-06T00:00:00-08:00'),
  };
  const unit = { serial: 'CU-0001', secret, server: `mqtt://127.0.0.1:${port}`, journal: 'journal', beams };
  await writeFile(file, JSON.stringify(unit));
  return file;
}
