import { sendTestAlert } from '@visitor-counter/database/alerts/alert-messages';
import { operatorAlerts } from '@visitor-counter/database/alerts/list-alerts';
import { nameKey } from '@visitor-counter/domain/name-key';
import { Refused } from '@visitor-counter/service/errors';
import { command, flag, required } from '../command/command.ts';
import { change } from '../command/context.ts';
import { readKnown } from '../command/find.ts';
import { listOutput } from '../command/list-command.ts';
import { company, labelKind } from '../command/options.ts';

const limit = 200;

export const listAlertsCommand = command({
  name: 'list',
  description: `List alerts, open ones first, the ${limit} newest, with how many messages were sent and wait.`,
  options: { company, open: flag('only open alerts') },
  run: async (context, { company, open }) => {
    const filter = { companyKey: company && nameKey(company), open };
    const listed = await readKnown(context, { company }, ({ kysely }) =>
      operatorAlerts(kysely, filter, limit),
    );
    return listOutput(listed);
  },
});

export const testAlertCommand = command({
  name: 'test',
  description: 'Send a test message to a target; `alert list` shows the result.',
  argument: { name: '<label>', description: 'the label of the target', kind: labelKind },
  options: { company: required(company) },
  run: async (context, { company }, label) => {
    const found = await change(context, async (trx, record) => {
      const owner = await sendTestAlert(trx, nameKey(company), label);
      const subject = { kind: 'alert target', key: label } as const;
      if (owner) await record({ action: 'test sent', company: owner, subject });
      return owner !== undefined;
    });
    if (!found) throw new Refused(`${company} has no alert target ${JSON.stringify(label)}`);
    const text = `a test to ${label} of ${company} is queued; the role alerts sends it`;
    return { json: { company, label }, text };
  },
});
