import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { openJournal } from '@visitor-counter/agent/journal/journal';
import { askOnce } from '@visitor-counter/agent/local/ask-agent';
import { startAgent } from '@visitor-counter/agent/runtime/start-agent';
import { defaultUplinkSettings } from '@visitor-counter/agent/uplink/uplink-settings';
import { listen } from '@visitor-counter/service/listen';
import { createLogger } from '@visitor-counter/service/logger';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { oneDoor } from '@visitor-counter/test/one-door';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { parser } from 'mqtt-packet';
import { expect, onTestFinished, test } from 'vitest';

const roundTrip = 100;
const count = 100_000;
const { crossingsPerMessage } = defaultUplinkSettings;
const began = Date.now() - 86_400_000;
const crossings = Array.from({ length: count }, (_, index) => ({
  at: began + index * 600,
  direction: index % 3 === 0 ? (-1 as const) : (1 as const),
}));

/** A proxy to a gateway with a round trip of `roundTrip` ms; `messages()`: how many with crossings went by. */
async function startSlowProxy(gateway: number) {
  let messages = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(gateway, '127.0.0.1');
    const packets = parser({ protocolVersion: 4 });
    packets.on('packet', (packet) => {
      if (packet.cmd === 'publish' && packet.topic.endsWith('/crossings')) messages += 1;
    });
    near.on('data', (chunk) => packets.parse(chunk));
    delay(near, far);
    delay(far, near);
    sockets.add(near);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, setting: 'PORT' });
  return { port, messages: () => messages };
}

/** Forwards everything in order, each chunk after half a round trip. */
function delay(from: Socket, to: Socket): void {
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), roundTrip / 2));
  from.on('close', () => setTimeout(() => to.destroy(), roundTrip / 2));
  from.on('error', () => {});
}

test('delivers 100,000 pending crossings exactly once, with one message in flight, in as many round trips as messages', async () => {
  const { url, rows } = await oneDoor();
  const gateway = await startGatewayProcess(url);
  const proxy = await startSlowProxy(Number(gateway.ready['mqttPort']));
  const folder = await temporaryFolder();
  const journal = await openJournal(join(folder, 'journal'));
  journal.append(crossings);
  await journal.close();
  await writeFile(join(folder, 'door.csv'), '');
  const config = join(folder, 'unit.yaml');
  await writeFile(
    config,
    `server: mqtt://127.0.0.1:${proxy.port}\nserial: CU-1\nsecret: secret of CU-1\njournal: journal\nbeams: { source: replay, file: door.csv }\n`,
  );

  const start = performance.now();
  const agent = await startAgent(config, {}, createLogger('agent', { LOG_LEVEL: 'silent' }));
  onTestFinished(() => agent.close());
  const delivery = async () => (await askOnce(join(folder, 'journal')))?.delivery;
  await expect.poll(delivery, { timeout: 540_000 }).toMatchObject({ recorded: count, acknowledged: count });
  const seconds = (performance.now() - start) / 1_000;

  const stored = await rows.query(
    `select sequence::integer, (extract(epoch from at) * 1000)::bigint as at, direction from crossing order by sequence`,
  );
  expect(stored).toHaveLength(count);
  const wrong = stored.filter(({ sequence, at, direction }, index) => {
    const journaled = crossings[index];
    return sequence !== index + 1 || Number(at) !== journaled?.at || direction !== journaled.direction;
  });
  expect(wrong).toEqual([]);
  const messages = proxy.messages();
  console.log(
    `${count} crossings in ${seconds.toFixed(1)} s, ${messages} messages, ${roundTrip} ms round trip`,
  );
  const least = Math.ceil(count / crossingsPerMessage);
  expect(messages).toBeGreaterThanOrEqual(least);
  expect(messages).toBeLessThanOrEqual(least + 10);
  /* With more than one message in flight it is less. */
  expect(seconds).toBeGreaterThan((0.95 * messages * roundTrip) / 1_000);
});
