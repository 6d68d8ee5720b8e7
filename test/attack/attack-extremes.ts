import { runExtremes } from './extremes/run-extremes.ts';
import { withServer } from './with-server.ts';

/** Attacks the whole product with extreme messages while it is read, and prints the result. */
export async function attackExtremes({ messages, seed }: { messages: number; seed: number }): Promise<void> {
  await withServer('extreme messages', async (databaseUrl, onProgress) => {
    const { sent, answers, faults, errors, honest } = await runExtremes({
      databaseUrl,
      messages,
      seed,
      onProgress,
    });
    for (const found of [...faults, ...errors]) console.log(found);
    console.log(`${sent} extreme messages, ${answers} answers to readers meanwhile`);
    console.log(`${faults.length} kinds of wrong answers, ${errors.length} errors`);
    console.log(`honest crossings: ${honest.acknowledged} acknowledged, ${honest.stored} stored`);
    return faults.length === 0 && errors.length === 0 && honest.stored === honest.acknowledged;
  });
}
