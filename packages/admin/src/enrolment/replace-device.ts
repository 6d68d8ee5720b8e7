import { command } from '../command/command.ts';
import { withChanges } from '../command/context.ts';
import { serialArgument } from '../command/options.ts';
import { certificateOption, identityOfServer, soon } from './code-options.ts';
import { createEnrolment } from './create-enrolment.ts';

export const replaceCommand = command({
  name: 'replace',
  description: 'Create a code by which another unit takes the place of the unit of a device.',
  argument: serialArgument,
  options: { expires: soon, certificate: certificateOption },
  help: `
The device keeps its store, its history and its settings. Enrol the new unit with this code and the same serial number:
the connection of the old one then ends within 5 seconds, and its secret stops working. Until then the old unit counts as
before. What it has not delivered is delivered from its card: see the installers' guide.

The same as: admin enrolment create --replace <serial>

Example:
  admin device replace CU-0001 --certificate /etc/counter/fullchain.pem`,
  run: async (context, { certificate, expires }, serial) => {
    const { serverKeyHash, server } = await identityOfServer(context, certificate);
    const wanted = { uses: 1, expires, replace: serial };
    const created = await withChanges(context, ({ kysely }, author) =>
      kysely.transaction().execute((trx) => createEnrolment(trx, author, wanted, serverKeyHash)),
    );
    const { code, replaces } = created;
    const until = `until ${created.expires}, at servers with a certificate of ${server}`;
    const text = `a new unit can replace that of ${replaces} ${until}. On the new unit:
  sudo counter-agent enrol --server https://ADDRESS --serial ${replaces}

It asks for this code, shown only this once:
  ${code}`;
    return { json: { ...created, server }, text };
  },
});
