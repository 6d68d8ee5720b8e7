import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import { asStored, entries, stored } from './testing/crossings.ts';
import { seedDevices } from './testing/test-gateway.ts';

const serials = ['CU-1', 'CU-2', 'CU-3'];
const journalLength = 2_000;

async function startGatewayProcess(url: string): Promise<ServiceProcess> {
  const gateway = await startService('gateway', [], { DATABASE_URL: url, MQTT_PORT: '0', HEALTH_PORT: '0' });
  onTestFinished(() => gateway.kill());
  return gateway;
}

/** Sends a journal, entry by entry, and tells which sequences were acknowledged. */
async function deliver(gateway: ServiceProcess, serial: string, onPuback = () => {}): Promise<number[]> {
  const unit = await connectUnit({ port: Number(gateway.ready['mqttPort']), serial });
  const acknowledged: number[] = [];
  const sent = entries(1, journalLength).map(async (entry, index) => {
    await unit.crossings('j1', 1 + index, [entry]);
    acknowledged.push(1 + index);
    onPuback();
  });
  await Promise.allSettled(sent);
  return acknowledged;
}

test('has every acknowledged crossing after kill -9, and every crossing once after it is sent again', async () => {
  const url = await testDatabase();
  const { seed } = await seedDevices(url, serials);
  const gateway = await startGatewayProcess(url);
  let pubacks = 0;
  const onPuback = () => {
    pubacks += 1;
    if (pubacks === 1_500) gateway.child.kill('SIGKILL');
  };

  const acknowledged = await Promise.all(serials.map((serial) => deliver(gateway, serial, onPuback)));

  const kept = new Set((await stored({ seed })).map((row) => `${row['serial']} ${row['sequence']}`));
  for (const [index, sequences] of acknowledged.entries()) {
    expect(sequences.filter((sequence) => !kept.has(`${serials[index]} ${sequence}`))).toEqual([]);
  }
  expect(acknowledged.flat().length).toBeLessThan(serials.length * journalLength);

  const restarted = await startGatewayProcess(url);
  const again = await Promise.all(serials.map((serial) => deliver(restarted, serial)));
  expect(again.map(({ length }) => length)).toEqual(serials.map(() => journalLength));
  expect(await stored({ seed })).toEqual(
    serials.flatMap((serial) => asStored(serial, 'j1', 1, entries(1, journalLength))),
  );
  expect(await restarted.stop()).toBe(0);
}, 30_000);
