import { residentTolerance, runFuzz, tolerance } from './run-fuzz.ts';
import { withServer } from './with-server.ts';

/** Attacks a gateway with packets and prints the result. */
export async function attackGateway({ packets, seed }: { packets: number; seed: number }): Promise<void> {
  await withServer('packets', async (databaseUrl, onProgress) => {
    const result = await runFuzz({ packets, seed, databaseUrl, onProgress });
    const { sent, memoryBefore, memoryAfter, resident, errors, serves } = result;
    for (const error of errors) console.log(error);
    console.log(
      `${sent} packets, ${errors.length} errors, serves units afterwards: ${serves ? 'yes' : 'no'}`,
    );
    console.log(`memory in use ${megabytes(memoryBefore)} MB before, ${megabytes(memoryAfter)} MB after`);
    const { before, peak, after } = resident;
    console.log(
      `resident ${megabytes(before)} MB before, ${megabytes(peak)} MB at most, ${megabytes(after)} MB after`,
    );
    const isBack = memoryAfter <= memoryBefore + tolerance && after <= before + residentTolerance;
    return errors.length === 0 && serves && isBack;
  });
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
