import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expectation } from '@visitor-counter/database/configuration/read-entry';
import { readSecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import { helpRows } from '@visitor-counter/service/command-line';
import { reasonOf } from '@visitor-counter/service/errors';
import type { TObject } from 'typebox';
import { type ArgumentSpec, command, flag, someText } from '../command/command.ts';
import { type CommandContext, withChanges } from '../command/context.ts';
import { companies, lists } from '../file/lists.ts';
import { InvalidFileError } from '../file/problems.ts';
import { readTopology } from '../file/read-topology.ts';
import { appliedOutput } from './applied.ts';
import { applyTopology } from './apply-topology.ts';

const file: ArgumentSpec<string> = {
  name: '<file>',
  description: 'the file, - for standard input',
  kind: someText,
};

export const applyCommand = command({
  name: 'apply',
  description: 'Set up companies, stores, shop groups, devices, credentials and alerts from a YAML file.',
  argument: file,
  options: { dryRun: flag('show what would change, and change nothing') },
  help: `
The file declares companies and what they own:

  companies:
    - name: Acme
      stores:
        - { sid: "S-1", name: Main Door, address: 1 High St, city: Irvine,
            timeZone: America/Los_Angeles, dayStartsAt: "00:00", capacity: 120 }
        - sid: "S-2"
          name: Second Street
          timeZone: America/Los_Angeles
          openingHours:
            week: { monday: ["09:00-12:30", "13:30-20:00"], friday: ["20:00-02:00"] }
            exceptions: [{ date: "2026-12-25", open: [], note: Christmas }]
          staff: { since: "2026-11-23", week: { monday: [{ at: "08:45", people: 4 }] } }
      shopGroups:
        - { name: West, stores: ["S-1"] }
      devices:
        - { serial: CU-0001, name: Front, store: "S-1" }
      credentials:
        - { kind: counts, label: till }
        - { kind: life-signal, label: noc, expires: 2027-12-31 }
        - { kind: staff, label: main door, stores: ["S-1"] }
        - { kind: sales, label: tills }
        - { kind: staff, label: office, settings: true }
      alertRules:
        - { kind: device-inactive, after: 15m }
        - { kind: capacity-reached }
      alertTargets:
        - { label: ops, url: "https://hooks.example/counter" }
        - { label: manager, mail: manager@acme.example }
      reports:
        - { name: Every morning, period: daily, recipients: [manager@acme.example], language: de }

Applying a file again changes nothing. Companies are identified by name, stores by sid, shop groups by name,
devices by serial, credentials by kind and label, alert rules by kind, alert targets by label, reports by name. What the
file leaves out is not changed; a list of the stores of a shop group is the whole list.

${Object.entries({ companies, ...lists })
  .map(([name, { schema }]) => `${name}:\n${helpRows(meaningsOf(schema))}`)
  .join('\n\n')}

Another store moves a device, now or from the instant since on; stored crossings from then on move with it. A plan of staff
is valid from its since on; earlier days keep the plan before. A secret or value that is left out of something new is
generated. A report has a group, or stores.

Generated secrets are printed only once and not stored, except encrypted for webhooks (SECRETS_KEY); secrets from the file
are not printed. A secret that is easy to guess is refused.
All of the file is applied, or none of it. Exit codes: 0 applied, 1 failed, 2 the file cannot be used.

JSON: {"changes":[…],"secrets":[…],"unchanged":n}`,
  run: async (context, { dryRun }, file) => {
    const name = file === '-' ? 'standard input' : file;
    const companies = readTopology(await readInput(file, context), name);
    const secretsKey = await readSecretsKey(context.env);
    const applied = await withChanges(context, (db, author) =>
      applyTopology(db, author, name, companies, { secretsKey, dryRun }),
    );
    const output = appliedOutput(dryRun ? { ...applied, secrets: [] } : applied);
    return dryRun ? { ...output, text: `${output.text}\nnothing was changed` } : output;
  },
});

function meaningsOf({ properties }: TObject) {
  return Object.entries(properties).map(([name, schema]) => [name, expectation(schema)] as const);
}

async function readInput(file: string, { folder, input }: CommandContext): Promise<string> {
  if (file === '-') return text(input);
  try {
    return await readFile(resolve(folder, file), 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw new InvalidFileError(file, [
      { path: 'file', value: new Error(reason), expected: 'a YAML file, or - for standard input' },
    ]);
  }
}
