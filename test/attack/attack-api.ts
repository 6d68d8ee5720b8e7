import { runApiFuzz } from './api/run-api-fuzz.ts';
import { withServer } from './with-server.ts';

/** Attacks the public interface with requests and prints the answers. */
export async function attackApi({ requests, seed }: { requests: number; seed: number }): Promise<void> {
  await withServer('requests', async (databaseUrl, onProgress) => {
    const { sent, statuses, faults, errors } = await runApiFuzz({ requests, seed, databaseUrl, onProgress });
    for (const found of [...faults, ...errors]) console.log(found);
    const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
    console.log(`${sent} requests, ${faults.length} wrong answers, ${errors.length} errors`);
    console.log(`answers: ${answers.join(', ')}`);
    return faults.length === 0 && errors.length === 0;
  });
}
