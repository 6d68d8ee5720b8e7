import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';

type Client = Awaited<ReturnType<typeof openClient>>;

/** Opens a connection however long a busy machine takes for it: the product gives up after some seconds. */
export function openPatientClient(url: string): Promise<Client> {
  return openClient({ connectionString: url, connectionTimeoutMillis: 0 }, planByKeys);
}

/** Does something with such a connection, and ends it. */
export async function withPatientClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await openPatientClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
