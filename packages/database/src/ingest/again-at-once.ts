import { storingErrorPolicy } from './storing-error.ts';

/** How often something is stored when other writers are in the way each time. */
const attempts = 5;

/** Stores, and where two writers were in each other's way stores at once again. Throws what the last attempt threw. */
export async function againAtOnce<Result>(store: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store();
    } catch (error) {
      if (attempt === attempts || storingErrorPolicy(error) !== 'again') throw error;
    }
  }
}
