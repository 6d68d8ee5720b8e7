import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import { readSecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import { reasonOf } from '@visitor-counter/service/errors';
import { type ArgumentSpec, command, flag, someText } from '../command/command.ts';
import { type CommandContext, withChanges } from '../command/context.ts';
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

  company     retentionMonths  for how many months crossings are kept, or null for ever; see admin retention
  store       capacity  how many people may be inside, or null for no limit
              openingHours  by weekday, and other hours by date; a day without hours is closed, null is always open
              staff     how many of the staff come in at which time; subtracted from visitors on days from since on,
                        earlier days keep the plan before; null ends it today
  device      secret    at least 16 characters of ASCII; generated for a new device when left out
              store     another store moves the device, from now on or from the instant in since;
                        stored crossings from that instant on move with it
              since     when the device was moved, such as 2026-11-20T10:15:30+01:00
              retired   true removes it from the list of inactive devices, false adds it again
  credential  kind      counts, life-signal, staff or sales
              value     at least 16 characters of ASCII; generated for a new credential when left out
              expires   never, a date (its beginning, UTC), or an instant
              stores    the sids of the stores that it is limited to, or null for all
              settings  true: staff may change settings on the page
  alert rule  kind      ${alertKinds.join(', ')}
              after     how long the condition must last before the alert, such as 30s, 15m, 2h
              enabled   false disables the rule
  alert       url       where messages are POSTed to, signed as Standard Webhooks says
  target      secret    signs the messages; generated for a new url when left out
              mail      instead of url: the address that messages are mailed to
              enabled   false disables the target
  report      period    daily, weekly or monthly
              group     the shop group, or stores: the sids, or null for all stores of the company
              hour      when it is sent, or null for when the last store has closed
              enabled   false disables the report

Generated secrets are printed only once and not stored, except encrypted for webhooks (SECRETS_KEY); secrets from the file
are not printed. A secret that is easy to guess is refused.
All of the file is applied, or none of it. Exit codes: 0 applied, 1 failed, 2 the file cannot be used.

JSON: {"changes":[…],"secrets":[…],"unchanged":n}`,
  run: async (context, { dryRun }, file) => {
    const name = file === '-' ? 'standard input' : file;
    const read = readTopology(await readInput(file, context));
    const applied = await withChanges(context, async (db, author) =>
      applyTopology(db, author, name, read, {
        secretsKey: await readSecretsKey(context.env),
        dryRun,
      }),
    ).catch((error: unknown) => {
      /* The problems of the file are reported even if the database is unavailable. */
      if (error instanceof InvalidFileError || read.problems.length === 0) throw error;
      throw new InvalidFileError(name, read.problems);
    });
    const output = appliedOutput(dryRun ? { ...applied, secrets: [] } : applied);
    return dryRun ? { ...output, text: `${output.text}\nnothing was changed` } : output;
  },
});

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
