import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import fc from 'fast-check';
import { onTestFinished } from 'vitest';

/** Serial numbers of which some begin with others, or look like parts of topics. */
const serial = fc.stringMatching(/^(CU|C|1|counter|v1)([-._]?[A-Z0-9]{1,2})?$/);

/** Two companies with devices of generated serial numbers, and a gateway. */
export async function generatedTopology() {
  const [serials = []] = fc.sample(
    fc.uniqueArray(serial, { minLength: 6, maxLength: 6, selector: (text) => text.toLowerCase() }),
    { numRuns: 1, seed: 3 },
  );
  const url = await testDatabase();
  const rows = seed(url);
  for (const name of ['Acme', 'Bell']) {
    const companyId = await rows.company(name);
    const storeId = await rows.store({ companyId, sid: 'S-1' });
    const own = serials.filter((_, index) => index % 2 === (name === 'Acme' ? 0 : 1));
    for (const one of own) await rows.device({ companyId, storeId, serial: one });
  }
  const ports = { MQTT_PORT: '0', METRICS_PORT: '0' };
  const gateway = await startService('gateway', [], { DATABASE_URL: url, ...ports, LOG_LEVEL: 'silent' });
  onTestFinished(() => gateway.kill());
  return { serials, rows, port: Number(gateway.ready['mqttPort']) };
}
