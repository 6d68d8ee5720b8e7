import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { onTestFinished } from 'vitest';
import { openPage } from './open-page.ts';

export const staffToken = 'a staff credential of Acme';

/** A company with a store and a door, another store without one, a gateway, and an api that serves the page. */
export async function servedPage() {
  const page = await openPage(onTestFinished);
  const { rows } = page;
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1', name: 'Main Street' });
  await rows.store({ companyId, sid: 'S-2', name: 'Side Street' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1' });
  await rows.credential({ companyId, kind: 'staff', value: staffToken });
  const gateway = await startGatewayProcess(page.databaseUrl);
  const walkAt = (people: readonly Walker[]) => walk(people, Number(gateway.ready['mqttPort']));
  return {
    ...page,
    companyId,
    storeId,
    deviceId,
    /** Lets people walk through the beams of a unit just now, two seconds apart. */
    walk: (people: readonly ('in' | 'out')[]) => {
      const begin = Date.now() - 2_000 * people.length;
      return walkAt(people.map((direction, n) => ({ at: begin + 2_000 * n, direction })));
    },
    walkAt,
  };
}

/** Somebody who is in the door from an instant on (epoch ms), for 0.6 seconds. */
interface Walker {
  readonly at: number;
  readonly direction: 'in' | 'out';
}

/** Lets people walk through the simulated beams of a real unit. */
async function walk(people: readonly Walker[], mqttPort: number): Promise<void> {
  const folder = await temporaryFolder();
  const passages = people.map(({ at, direction }) => passage(at, direction));
  await writeFile(join(folder, 'door.csv'), passages.join(''));
  await writeFile(
    join(folder, 'unit.yaml'),
    `serial: CU-1\nsecret: secret of CU-1\nserver: mqtt://127.0.0.1:${mqttPort}\njournal: journal
beams: { source: replay, file: door.csv }\n`,
  );
  const unit = await startService('agent', ['run', '--config', join(folder, 'unit.yaml')], {});
  onTestFinished(() => unit.kill());
}

/** Both beams, one after the other; `a` is the outer one. */
function passage(at: number, direction: 'in' | 'out'): string {
  const [first, second] = direction === 'in' ? ['a', 'b'] : ['b', 'a'];
  return `${at},${first},1\n${at + 200},${second},1\n${at + 400},${first},0\n${at + 600},${second},0\n`;
}
