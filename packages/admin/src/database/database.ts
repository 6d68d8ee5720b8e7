import { migrateByOperator } from '@visitor-counter/database/access/setup-database';
import { findMigrateUrl } from '@visitor-counter/database/embedded/find-database';
import { missingKey, readSecretsKeys } from '@visitor-counter/database/secrets/secrets-key';
import { reencryptWebhooks } from '@visitor-counter/database/secrets/stored-webhooks';
import { command, group } from '../command/command.ts';
import { OperatorError, operatorOf, withChanges } from '../command/context.ts';
import { setupCommand } from './database-setup.ts';

const migrateCommand = command({
  name: 'migrate',
  description: 'Bring the tables up to date, and the rights of the roles.',
  help: `
Uses DATABASE_MIGRATE_URL, or DATABASE_URL if that user may change the schema. Programs do the same at their start; run
this command before that if they have DATABASE_URL only. Programs may run meanwhile, also of the release before. While a
transaction uses a table that has to be changed, the command tries again every few seconds; nothing waits for it longer
than half a second.

JSON: {"migrations":[…]}`,
  run: async (context) => {
    const url = await findMigrateUrl(context.env);
    const onBlocked = (holder: string) =>
      context.printError(`waiting for a transaction that uses the tables: ${holder}`);
    const migrations = await migrateByOperator(url, operatorOf(context.env), { onBlocked });
    const text = migrations.length > 0 ? migrations.map((one) => `applied ${one}`).join('\n') : 'up to date';
    return { json: { migrations }, text };
  },
});

const reencryptCommand = command({
  name: 'reencrypt',
  description: 'Encrypt the webhooks with SECRETS_KEY that are encrypted with SECRETS_KEY_PREVIOUS.',
  help: `
First restart all programs with the new key as SECRETS_KEY, and the old one as SECRETS_KEY_PREVIOUS. Then run this command
with the same settings. Then remove SECRETS_KEY_PREVIOUS.

JSON: {"reencrypted":n}`,
  run: async (context) => {
    const { reencrypted, unreadable } = await withChanges(context, async (database, author) => {
      const keys = await readSecretsKeys(context.env);
      if (keys === undefined) throw missingKey();
      return reencryptWebhooks(database, author, keys);
    });
    if (unreadable.length > 0) {
      const lines = unreadable.map(({ company, label, problem }) => `${label} of ${company}: ${problem}`);
      const way = 'Set SECRETS_KEY_PREVIOUS to their key, or give these targets a url and a secret again.';
      throw new OperatorError(
        ['webhooks cannot be decrypted, and nothing was changed:', ...lines, way].join('\n'),
      );
    }
    return { json: { reencrypted }, text: `${reencrypted} webhooks encrypted with SECRETS_KEY` };
  },
});

export const databaseCommands = group('database', 'Set up the database, its roles, and its keys.', [
  setupCommand,
  migrateCommand,
  reencryptCommand,
]);
