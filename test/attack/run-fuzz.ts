import { setTimeout as delay } from 'node:timers/promises';
import { applyFile } from '@visitor-counter/test/admin';
import { topic } from '@visitor-counter/wire/topics';
import mqtt from 'mqtt';
import { type AttackedGateway, startAttackedGateway } from './attacked-gateway.ts';
import { discardRejected } from './discard-rejected.ts';
import { fuzz } from './fuzz/fuzz.ts';
import type { KnownDevice } from './fuzz/well-formed.ts';

export interface FuzzResult {
  readonly sent: number;
  /** Bytes in use, after a first part of the packets. */
  readonly memoryBefore: number;
  /** Bytes in use at the end. */
  readonly memoryAfter: number;
  /** Resident memory (bytes) as the system sees it: when the gateway was ready, at most since it started, and at the end. */
  readonly resident: { readonly before: number; readonly peak: number; readonly after: number };
  /** The errors that the gateway logged. */
  readonly errors: readonly string[];
  /** Whether a unit was served normally afterwards. */
  readonly serves: boolean;
}

export interface RunFuzzOptions {
  /** A database without devices. */
  readonly databaseUrl: string;
  readonly packets: number;
  readonly seed: number;
  readonly onProgress?: (sent: number) => void;
}

/** The part of the packets before which memory is not compared: caches fill, code is compiled. */
const warmUp = 0.2;

/** The memory may grow by so much (bytes). */
export const tolerance = 8 * 1024 * 1024;

/** Resident memory may grow by so much (bytes): compiled code, caches, partly used pages. */
export const residentTolerance = 96 * 1024 * 1024;

/** Time limit for the gateway to release memory (ms). */
const patience = 20_000;

const devices: readonly [KnownDevice, ...KnownDevice[]] = [
  { serial: 'CU-1', secret: 'secret-of-unit-one' },
  { serial: 'CU-2', secret: 'secret-of-unit-two' },
];
const witness: KnownDevice = { serial: 'CU-3', secret: 'secret-of-unit-three' };

/** Attacks a separate gateway with random and mutated packets, and examines it afterwards. */
export async function runFuzz(options: RunFuzzOptions): Promise<FuzzResult> {
  const { databaseUrl, packets, seed, onProgress = () => {} } = options;
  const stores = [{ sid: 'S-1', name: 'Main', timeZone: 'UTC' }];
  const known = [...devices, witness].map((device) => ({ ...device, store: 'S-1' }));
  const topology = { companies: [{ name: 'Acme', stores, devices: known }] };
  await applyFile(JSON.stringify(topology), { DATABASE_URL: databaseUrl });
  const gateway = await startAttackedGateway(databaseUrl, {
    LOG_LEVEL: 'error',
    MQTT_LOGIN_FAILURES_PER_MINUTE: '1000000000',
  });
  const before = await gateway.residentMemory();
  const operator = discardRejected(databaseUrl);
  try {
    const attack = { port: gateway.port, devices };
    const first = await fuzz({ ...attack, packets: warmUp * packets, seed, onProgress });
    const memoryBefore = await gateway.memoryInUse();
    const second = await fuzz({
      ...attack,
      packets: packets - first,
      seed: seed + 1_000,
      onProgress: (sent) => onProgress(first + sent),
    });
    const after = await fallen(() => gateway.residentMemory(), before + residentTolerance);
    const memoryAfter = await fallen(() => gateway.memoryInUse(), memoryBefore + tolerance);
    const serves = await servesUnit(gateway);
    const resident = { before, peak: await gateway.peakMemory(), after };
    return { sent: first + second, memoryBefore, memoryAfter, resident, errors: errorsOf(gateway), serves };
  } finally {
    await operator.stop();
    await gateway.process.stop();
  }
}

/** The measured value, as soon as it has fallen to `enough`, or at the time limit. */
async function fallen(measure: () => Promise<number>, enough: number): Promise<number> {
  const deadline = Date.now() + patience;
  for (;;) {
    const memory = await measure();
    if (memory <= enough || Date.now() > deadline) return memory;
    await delay(250);
  }
}

function errorsOf({ process }: AttackedGateway): string[] {
  return process
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
}

async function servesUnit({ port }: AttackedGateway): Promise<boolean> {
  const { serial, secret } = witness;
  const account = { clientId: serial, username: serial, password: secret, reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, account, false);
  const crossing = JSON.stringify({ journal: 'j', first: 1, crossings: [[Date.now(), 1]] });
  await client.publishAsync(topic(serial, 'crossings'), crossing, { qos: 1 });
  await client.endAsync(true);
  return true;
}
