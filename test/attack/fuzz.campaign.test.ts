import { given } from '@visitor-counter/test/given';
import { oneDoor } from '@visitor-counter/test/one-door';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import { startAttackedGateway } from './attacked-gateway.ts';
import { discardRejected } from './discard-rejected.ts';
import { fuzz } from './fuzz/fuzz.ts';

const megabyte = 1024 * 1024;
/** How much the memory may grow: what is in use, and what the system sees, with compiled code and partly used pages. */
const tolerance = { inUse: 8 * megabyte, resident: 96 * megabyte };
/** The part of the packets before which memory is not compared: caches fill, code is compiled. */
const warmUp = 0.2;

const packets = given('PACKETS', 5_000);

test('survives random and mutated packets without errors or lost memory', {
  timeout: 900_000 + 2 * packets,
}, async () => {
  const { url, rows, companyId, storeId } = await oneDoor();
  await rows.device({ companyId, storeId, serial: 'CU-2' });
  const gateway = await startAttackedGateway(url, {
    LOG_LEVEL: 'error',
    MQTT_LOGIN_FAILURES_PER_MINUTE: '1000000000',
  });
  const residentBefore = await gateway.residentMemory();
  const operator = discardRejected(url);
  onTestFinished(() => operator.stop());
  const attack = { port: gateway.port, device: { serial: 'CU-1', secret: 'secret of CU-1' } };

  const seed = given('SEED', 1);
  await fuzz({ ...attack, packets: warmUp * packets, seed });
  const inUseBefore = await gateway.memoryInUse();
  await fuzz({ ...attack, packets: (1 - warmUp) * packets, seed: seed + 1_000 });

  const patience = { timeout: 120_000, interval: 250 };
  await expect.poll(gateway.residentMemory, patience).toBeLessThan(residentBefore + tolerance.resident);
  await expect.poll(gateway.memoryInUse, patience).toBeLessThan(inUseBefore + tolerance.inUse);
  const unit = await connectUnit({ port: gateway.port, serial: 'CU-2' });
  await unit.crossings('j', 1, [[Date.now(), 1]]);
  expect(gateway.process.output().match(/^\{.*/gm)).toBeNull();
});
