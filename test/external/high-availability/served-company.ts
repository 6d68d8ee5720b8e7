import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { onTestFinished } from 'vitest';
import { type ServerOfUnits, startCompany } from '../restore/running-company.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { completed, variablesOf } from './samples.ts';

/** A company whose units and callers reach two servers through HAProxy, and these the database of three machines. */
export async function startServedCompany() {
  const cluster = await startCluster();
  const url = await cluster.setUpDatabase();
  const company = await startCompany(url, () => startServers(cluster, url));
  return { cluster, company };
}

async function startServers({ addresses, ports }: Cluster, url: string): Promise<ServerOfUnits> {
  const folder = await temporaryFolder();
  const authority = await createAuthority('Counter CA');
  const { cert, key } = await createCertificate(authority, 'counter.example');
  const files = { ca: join(folder, 'ca'), cert: join(folder, 'cert'), key: join(folder, 'key') };
  await writeFile(files.ca, authority.cert);
  await writeFile(files.cert, cert);
  await writeFile(files.key, key);
  const secretsKey = randomBytes(32).toString('base64');
  const start = async (address: string) => {
    const text = await completed('server.env', {
      ...addresses,
      THIS_ADDRESS: address,
      SECRETS_KEY_OF_ALL: secretsKey,
      '/etc/visitor-counter/tls/fullchain.pem': files.cert,
      '/etc/visitor-counter/tls/privkey.pem': files.key,
    });
    const server = await startService('serve', [], { ...variablesOf(text), DATABASE_URL: url });
    onTestFinished(() => server.kill());
  };
  await Promise.all(
    [addresses['ADDRESS_1'], addresses['ADDRESS_2']].map((address) => address && start(address)),
  );
  return { server: `mqtts://127.0.0.1:${ports.units}`, ca: files.ca };
}
