import { test } from 'vitest';
import { restoreRounds } from './restore-rounds.ts';

test('50 of 50 backups that are taken while crossings are stored restore completely', async () => {
  await restoreRounds(50);
}, 900_000);
