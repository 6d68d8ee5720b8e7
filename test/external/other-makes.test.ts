import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { applyFile } from '@visitor-counter/test/admin';
import { callOperation } from '@visitor-counter/test/count-events';
import { recordedHalfHours } from '@visitor-counter/test/recording';
import { startService } from '@visitor-counter/test/service-process';
import { startedOnce } from '@visitor-counter/test/started-once';
import { databaseOfFile } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

/**
 * Mosquitto's client delivers as a unit of another make; a program in Python computes the expected results.
 */
const secret = 'secret-of-another-make';
const token = 'token-of-another-make';
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

const started = startedOnce(async (atEnd) => {
  const url = await databaseOfFile(atEnd);
  const env = { DATABASE_URL: url, MQTT_PORT: '0', METRICS_PORT: '0', HTTP_PORT: '0' };
  await applyFile(JSON.stringify(topology), env);
  const gateway = await startService('gateway', [], env);
  atEnd(async () => void (await gateway.stop()));
  const api = await startService('api', [], env);
  atEnd(async () => void (await api.stop()));
  return { mqttPort: gateway.ready['mqttPort'], httpPort: api.ready['httpPort'] };
});

test('crossings published by mosquitto_pub yield the results of the Python reference, over the end of summer time', async () => {
  const crossings = crossingsOfRecording().slice(-8_000);
  for (let first = 0; first < crossings.length; first += 1_000) {
    publish({ journal: 'other-make', first: first + 1, crossings: crossings.slice(first, first + 1_000) });
  }

  const records = await callOperation(
    `http://127.0.0.1:${started().httpPort}/public/Service.asmx`,
    'GetCountsByCompanyAndDatePublic',
    { CompanyName: 'acme', Token: token, DateFrom: '2005-01-01', DateTo: '2006-12-31' },
  );

  expect(records.map(({ DateTime, Amount }) => [DateTime, Amount])).toEqual(reference(crossings));
});

test('refuses mosquitto_pub with a wrong secret as not authorized', () => {
  expect(() => publish({ journal: 'other-make', first: 1, crossings: [] }, 'wrong-secret-of-it')).toThrow(
    /not authori[sz]ed/i,
  );
});

/** QoS 1: the program ends when it has the PUBACK, which means that the crossings are committed. */
function publish(message: unknown, password = secret): void {
  const { mqttPort } = started();
  execFileSync(
    'mosquitto_pub',
    `-h 127.0.0.1 -p ${mqttPort} -V mqttv311 -q 1 -s -i CU-0001 -u CU-0001 -P ${password} -t counter/v1/CU-0001/crossings`.split(
      ' ',
    ),
    { input: JSON.stringify(message), stdio: ['pipe', 'pipe', 'pipe'], timeout: 100_000 },
  );
}

type SentCrossing = [at: number, direction: number];

/** The recording's half hours as crossings a second apart, on Pacific daylight time throughout. */
function crossingsOfRecording(): SentCrossing[] {
  return recordedHalfHours().flatMap((half) => {
    const start = Date.parse(`${half.local}:00-07:00`);
    const directions = [...Array<number>(half.in).fill(1), ...Array<number>(half.out).fill(-1)];
    return directions.map((direction, index): SentCrossing => [start + index * 1_000 + 7, direction]);
  });
}

function reference(crossings: readonly SentCrossing[]): unknown {
  const program = fileURLToPath(new URL('occupancy-reference.py', import.meta.url));
  const input = JSON.stringify({ timeZone: 'America/Los_Angeles', crossings });
  return JSON.parse(execFileSync('python3', [program], { input, encoding: 'utf8', maxBuffer: 2 ** 26 }));
}
