import { startMosquitto } from '@visitor-counter/test/mosquitto';
import { startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

test('two gateways with the same client id report it, in few log lines and in their health', async () => {
  const url = await testDatabase();
  const mosquitto = await startMosquitto({ gateway: 'gateway' });
  onTestFinished(() => mosquitto.close());
  const start = async () => {
    const gateway = await startService('gateway', [], {
      DATABASE_URL: url,
      METRICS_PORT: '0',
      MQTT_URL: `mqtt://gateway:gateway@127.0.0.1:${mosquitto.port}`,
      MQTT_CLIENT_ID: 'the-same',
    });
    onTestFinished(async () => void (await gateway.stop()));
    return gateway;
  };
  const gateways = [await start(), await start()];

  for (const gateway of gateways) {
    const health = `http://127.0.0.1:${gateway.ready['metricsPort']}/health`;
    const body = async () => await (await fetch(health)).text();
    await expect.poll(body).toContain('MQTT_CLIENT_ID');
    await expect.poll(() => gateway.output()).toContain('MQTT_CLIENT_ID');
    await expect.poll(() => gateway.output()).toContain('leftOut');
    expect(gateway.output().split('not connected to the broker').length).toBeLessThan(100);
    console.log(await body(), gateway.output().slice(0, 1500), gateway.output().slice(-1500));
  }
});
