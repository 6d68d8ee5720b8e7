import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { startAgent } from '@visitor-counter/agent/runtime/start-agent';
import { startBroker } from '@visitor-counter/agent/test/test-broker';
import { datelessSocketTo } from '@visitor-counter/agent/uplink/server-socket';
import { createLogger } from '@visitor-counter/service/logger';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { listening } from '@visitor-counter/test/listening';
import { day, ever, now, type Shown, shownCertificate } from '@visitor-counter/test/shown-certificate';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';

interface World extends Shown {
  /** The time that the server reports, in the same days. */
  readonly serverTime: number;
  /** `later`: when the unit is connected, and before the server reports its time. */
  readonly isClockSet?: boolean | 'later';
  /** By how many days the clock is changed after the start, to the present of the machine; 0: not changed. */
  readonly changedBy?: number;
}

/** A unit with one crossing to deliver, and a server with TLS that answers heartbeats with its time. */
async function world({ serverTime, isClockSet = false, changedBy = 0, ...shown }: World) {
  const folder = await temporaryFolder();
  const broker = await startBroker();
  const { ca, certificate, host } = await shownCertificate(shown);
  const server = createServer(certificate, (socket) => {
    const toBroker = connect(Number(new URL(broker.server).port), '127.0.0.1');
    for (const one of [socket, toBroker]) one.on('error', () => {});
    socket.pipe(toBroker).pipe(socket);
  });
  server.on('tlsClientError', () => {});
  const port = await listening(server, host);
  let isSet = isClockSet === true;
  const synchronised = async () => {
    isSet ||= isClockSet === 'later' && broker.connects > 0;
    return isSet;
  };
  broker.hold = async ({ topic }) => {
    const time = JSON.stringify({ at: now + serverTime * day });
    const reportsTime = isSet || isClockSet !== 'later';
    if (topic.endsWith('/heartbeat') && reportsTime)
      setImmediate(() => broker.publish('counter/v1/CU-1/time', time));
  };
  await writeFile(join(folder, 'ca.pem'), ca.cert);
  await writeFile(
    join(folder, 'door.csv'),
    `${now},a,1\n${now + 200},b,1\n${now + 400},a,0\n${now + 600},b,0\n`,
  );
  await writeFile(
    join(folder, 'unit.yaml'),
    `serial: CU-1\nsecret: secret\nserver: mqtts://${host}:${port}\nca: ca.pem
beams: { source: replay, file: door.csv }\n`,
  );
  let change = changedBy * day;
  const wall = () => Date.now() - change;
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const agent = await startAgent(join(folder, 'unit.yaml'), {}, createLogger('agent', {}, { write }), {
    uplink: { backOff: { first: 20, longest: 50 }, drainWithin: 10, heartbeatEvery: 50 },
    clock: { synchronised, wall, gatewayTimeAfter: 0, pollInterval: 10 },
  });
  change = 0;
  onTestFinished(async () => {
    await agent.close();
    await broker.close();
  });
  const crossings = () => broker.received.filter(({ topic }) => topic.endsWith('/crossings')).length;
  return { broker, crossings, log: () => log };
}

test.each([
  ['not set, and ten years fast,', { valid: [-3_700, -3_600], serverTime: -3_650 }],
  ['not set, and ten years slow,', { valid: [3_600, 3_700], serverTime: 3_650 }],
  [
    'set ten years ahead while it runs',
    { valid: [-3_700, -3_600], serverTime: -3_650, isClockSet: true, changedBy: 3_650 },
  ],
] as const)('a unit whose clock is %s delivers to the right server', async (_, times) => {
  const { crossings, log } = await world(times);
  await expect.poll(crossings).toBe(1);
  expect(log()).not.toContain('not valid at the time');
});

test.each([
  ['', false],
  [', also if the clock is set meanwhile', 'later'],
] as const)(
  'ends a connection whose certificate is not valid at the time of its server%s',
  async (_, isClockSet) => {
    const { log } = await world({ valid: [-400, -30], serverTime: 0, isClockSet });
    await expect.poll(log).toContain('not valid at the time that the server reports');
  },
);

test.each([
  ['another authority has signed', { hasOtherSigner: true }],
  ['is for another name', { isForAnotherName: true }],
  ['has expired by a clock that is set', { isClockSet: true }],
])('sends nothing over a connection whose certificate %s', async (_, wrong) => {
  const { broker, log } = await world({ valid: [-400, -30], serverTime: -100, ...wrong });
  await expect.poll(() => log().split('not connected to the server').length).toBeGreaterThan(3);
  expect(broker.connects).toBe(0);
});

test.each([
  [undefined, 'opens'],
  [0, 'path length constraint exceeded'],
] as const)(
  'keeps to the path length of an authority while the clock is not set: %s',
  async (pathLength, expected) => {
    const past = { notBeforeDate: new Date(now - 100 * day), notAfterDate: new Date(now - day) };
    const root = await createAuthority('company', ever, pathLength === undefined ? {} : { pathLength });
    const between = await createAuthority('department', ever, { signer: root });
    const { cert, key } = await createCertificate(between, 'gateway', [], past);
    const server = createServer({ cert: `${cert}\n${between.cert}`, key });
    const url = `mqtts://127.0.0.1:${await listening(server)}`;
    const opened = datelessSocketTo(url, root.cert, AbortSignal.timeout(100_000)).then(
      (open) => {
        open().destroy();
        return 'opens';
      },
      (error: Error) => error.message,
    );
    expect(await opened).toContain(expected);
  },
);
