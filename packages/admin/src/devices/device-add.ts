import { findStoreTargets } from '@visitor-counter/database/enrolment/codes';
import type { Database } from '@visitor-counter/database/sql/connect';
import { nameKey } from '@visitor-counter/domain/name-key';
import { command, required, textOption } from '../command/command.ts';
import { OperatorError, withChanges } from '../command/context.ts';
import { checkSecret, company, deviceFilter, deviceName, newSerial } from '../command/options.ts';
import { applyEntry } from '../topology/apply-topology.ts';

export const addCommand = command({
  name: 'add',
  description: 'Register a new device in a store, and print its secret.',
  argument: newSerial,
  options: {
    store: required({ ...deviceFilter.store, description: 'the store, by its sid' }),
    company,
    name: deviceName,
    secret: textOption('<secret>', 'its secret, at least 16 characters; generated when left out'),
  },
  help: `
The secret is printed only once and not stored: the unit needs the serial number and the secret. A unit that enrols with
a code (admin enrolment create) registers itself, and needs neither.

Example:
  admin device add CU-0002 --store S-1 --name "Back door"`,
  run: async (context, { store, company, name, secret }, serial) => {
    checkSecret('--secret', secret);
    const added = await withChanges(context, async (db, author) => {
      const owner = await companyOfStore(db, store, company);
      const entry = { serial, store, name, secret };
      const { secrets } = await applyEntry(
        db,
        author,
        { company: owner, list: 'devices', entry },
        {
          check: (stored) => {
            if (stored.devices.has(nameKey(serial))) throw isRegistered(serial);
          },
        },
      );
      const [generated] = secrets;
      return {
        serial,
        company: owner,
        store,
        secret: generated && 'secret' in generated ? generated.secret : null,
      };
    });
    const shown = added.secret === null ? '' : `\n\nShown only this once:\n  ${added.secret}`;
    return { json: added, text: `added device ${serial} to store ${store} of ${added.company}${shown}` };
  },
});

function isRegistered(serial: string): OperatorError {
  const ways = `move it with \`admin device move ${serial}\`, or replace its unit with \`admin device replace ${serial}\``;
  return new OperatorError(`device ${serial} is registered already: ${ways}`);
}

/**
 * The company that has a store of this sid. Throws OperatorError if there is none, or several and `company` does not say
 * which one.
 */
export async function companyOfStore({ kysely }: Database, sid: string, company?: string): Promise<string> {
  const [found, ...others] = await findStoreTargets(kysely, sid, company);
  if (found === undefined) {
    const owner = company === undefined ? '' : ` of ${company}`;
    throw new OperatorError(`there is no store ${JSON.stringify(sid)}${owner}; see \`admin store list\``);
  }
  if (others.length === 0) return found.company;
  const names = [found, ...others].map((one) => one.company).join(', ');
  throw new OperatorError(`${names} have a store ${sid}: choose one with --company`);
}
