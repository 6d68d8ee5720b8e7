import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import type { ServiceProcess } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { asStored, entries, stored } from '../test/crossings.ts';
import { seedDevices } from '../test/test-gateway.ts';

const journalLength = 1_000;
const inFlight = 20;

/** Sends a journal in batches, and returns which sequences were acknowledged. */
async function deliver(gateway: ServiceProcess, serial: string, onPuback = () => {}): Promise<number[]> {
  const unit = await connectUnit({ port: Number(gateway.ready['mqttPort']), serial });
  const acknowledged: number[] = [];
  const lane = async (start: number) => {
    for (let sequence = start; sequence <= journalLength; sequence += inFlight) {
      await unit.crossings('j1', sequence, entries(sequence, 1));
      acknowledged.push(sequence);
      onPuback();
    }
  };
  await Promise.allSettled(Array.from({ length: inFlight }, (_, index) => lane(1 + index)));
  return acknowledged;
}

test('has every acknowledged crossing after SIGKILL, and every crossing once after redelivery', async () => {
  const url = await testDatabase();
  const seeded = await seedDevices(url);
  const serials = [seeded.serial, seeded.other];
  const gateway = await startGatewayProcess(url);
  let pubacks = 0;
  const onPuback = () => {
    pubacks += 1;
    if (pubacks === 700) gateway.child.kill('SIGKILL');
  };

  const acknowledged = await Promise.all(serials.map((serial) => deliver(gateway, serial, onPuback)));

  const kept = new Set((await stored(seeded)).map((row) => `${row['serial']} ${row['sequence']}`));
  for (const [index, sequences] of acknowledged.entries()) {
    expect(sequences.filter((sequence) => !kept.has(`${serials[index]} ${sequence}`))).toEqual([]);
  }
  expect(acknowledged.flat().length).toBeLessThan(serials.length * journalLength);

  const restarted = await startGatewayProcess(url);
  const again = await Promise.all(serials.map((serial) => deliver(restarted, serial)));
  expect(again.map(({ length }) => length)).toEqual(serials.map(() => journalLength));
  expect(await stored(seeded)).toEqual(
    serials.flatMap((serial) => asStored(serial, 'j1', 1, entries(1, journalLength))),
  );
  expect(await restarted.stop()).toBe(0);
});
