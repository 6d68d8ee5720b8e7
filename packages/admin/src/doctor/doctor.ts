import { resolve } from 'node:path';
import { command, textOption } from '../command/command.ts';
import { findingsText, worst } from './finding.ts';

export const doctorCommand = command({
  name: 'doctor',
  description: 'Check the installation, and say what to do about each problem.',
  options: {
    backups: textOption(
      '<folder>',
      'the folder of the backups, else BACKUP_DIR, else that of the daily backups of the package',
    ),
  },
  help: `
Checks settings, certificates, the database and its durability, the schema, the server, whether crossings are
stored and counted, the units, the clock, the disks and the backups. It changes nothing.

Exit code: 0 without a problem, even with warnings; 1 with a problem.
JSON: {"status":"ok"|"warning"|"problem","findings":[{"check","status","finding","advice"}]}`,
  run: async (context, { backups }) => {
    /* Loading the settings of all roles takes time, and no other command needs them. */
    const { examine } = await import('./examine.ts');
    const findings = await examine(context.env, backups && resolve(context.folder, backups));
    const status = worst(findings);
    return { json: { status, findings }, text: findingsText(findings), isFailure: status === 'problem' };
  },
});
