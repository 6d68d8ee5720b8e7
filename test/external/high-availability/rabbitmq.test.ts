import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { expect, onTestFinished, test } from 'vitest';
import { ordersFor, recorded, unitFolder } from '../../chain/commanded-unit.ts';
import { startRabbitMq } from './rabbitmq.ts';

/** A unit at the third node of RabbitMQ, and gateways at the first two. */
async function unitAtRabbitMq() {
  const door = await oneDoor();
  const databaseProxy = await startDatabaseProxy(door.url);
  const rabbitMq = await startRabbitMq([
    { kind: 'gateway', name: 'gateway', password: 'gateway' },
    { kind: 'unit', name: 'CU-1', password: 'secret of CU-1' },
  ]);
  const startGateway = async (node: 0 | 1) => {
    const gateway = await startService('gateway', [], {
      DATABASE_URL: throughProxy(door.url, databaseProxy),
      METRICS_PORT: '0',
      MQTT_URL: `mqtt://gateway:gateway@127.0.0.1:${rabbitMq.ports[node]}`,
      MQTT_CLIENT_ID: `gateway-${node}`,
      MQTT_SUBSCRIPTIONS: 'plain',
    });
    onTestFinished(async () => void (await gateway.stop()));
    return gateway;
  };
  const { config, journal } = await unitFolder(`mqtt://127.0.0.1:${rabbitMq.ports[2]}`, {
    acknowledgement: 'committed',
    commitSeconds: 2,
  });
  const startAgent = async () => {
    const agent = await startService('agent', ['run', '--config', config], {});
    onTestFinished(() => agent.kill());
    return agent;
  };
  return { ...ordersFor(door), rabbitMq, databaseProxy, startGateway, startAgent, journal };
}

test('units deliver through a cluster of RabbitMQ to two gateways, and receive orders, although nodes and gateways fail', async () => {
  const { rabbitMq, databaseProxy, startGateway, startAgent, stored, order, configure, ...unit } =
    await unitAtRabbitMq();
  const gateways = await Promise.all([startGateway(0), startGateway(1)]);
  databaseProxy.refuse();
  const agent = await startAgent();
  await expect.poll(() => gateways[0].output()).toContain('message not stored yet; retrying');
  expect(agent.output()).not.toMatch(/"acknowledged":[1-9]/);
  databaseProxy.carry();
  await expect.poll(() => agent.output()).toContain(`"acknowledged":${recorded}`);
  expect(await stored()).toBe(recorded);

  const done = { state: 'done', finished: true };
  await rabbitMq.kill(0);
  const resend = await order({ command: 'resend', journal: unit.journal, first: 1, last: 100 });
  await expect.poll(() => unit.state(resend)).toMatchObject(done);
  await gateways[1].stop();
  await rabbitMq.start(0);
  const identify = await order({ command: 'identify' });
  await expect.poll(() => unit.state(identify)).toMatchObject(done);

  await gateways[0].stop();
  await startGateway(1);
  const settings = await configure({ keep: { days: 7 } });
  await expect.poll(() => unit.revision()).toBe(settings);
  expect(await stored()).toBe(recorded);
}, 300_000);
