import { withClient } from '@visitor-counter/database/sql/open-client';
import { portOf } from '@visitor-counter/test/service-process';
import { startGateway } from '../ingest/contestants/programs.ts';
import { flatOut, warmUp } from '../ingest/ingest-options.ts';
import { runLoad } from '../load/run-load.ts';
import { forgetUnits } from './growth-workload.ts';

/** Units that send as fast as they are acknowledged: crossings a second. The database is as before afterwards. */
export async function measureIngest(databaseUrl: string, seconds: number): Promise<number> {
  await withClient(databaseUrl, forgetUnits);
  try {
    await using gateway = await startGateway(databaseUrl);
    const { result } = await runLoad(
      {
        port: portOf(gateway, 'mqttPort'),
        units: flatOut.units,
        crossingsPerMessage: 1,
        warmUp,
        seconds,
        pace: { inFlight: flatOut.inFlight },
      },
      async () => true,
    );
    return result.crossingsPerSecond;
  } finally {
    await withClient(databaseUrl, forgetUnits);
  }
}
