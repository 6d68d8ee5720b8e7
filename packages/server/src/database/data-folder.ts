import { access, constants } from 'node:fs/promises';
import { makeFolder } from '@visitor-counter/service/make-folder';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

/** Makes the folder of the embedded PostgreSQL. Throws ConfigurationError where it cannot be written. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const expected = `a folder that this user can make and write (${error.message})`;
    throw new ConfigurationError('DATA_DIR', folder, expected);
  }
}
