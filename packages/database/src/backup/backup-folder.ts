import { resolve } from 'node:path';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { folder } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';

export const backupSettings = {
  BACKUP_DIR: {
    kind: folder,
    otherwise: '`/var/lib/visitor-counter/backups` with the Debian package, else `backups` in the checkout',
    does: 'The folder into which `admin backup` writes, unless it is called with `--to`.',
  },
} satisfies Settings;

/** The folder of the backups. The launcher of the Debian package names its own one. */
export function backupFolder(env: Environment): string {
  const { BACKUP_DIR } = readSettings(backupSettings, env);
  return resolve(BACKUP_DIR ?? env['COUNTER_BACKUPS'] ?? resolve(import.meta.dirname, '../../../../backups'));
}
