import {
  type ListedEnrolmentCode,
  listEnrolmentCodes,
  revokeEnrolmentCode,
} from '@visitor-counter/database/enrolment/codes';
import { Refused } from '@visitor-counter/service/errors';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { type ArgumentSpec, command, group } from '../command/command.ts';
import { change } from '../command/context.ts';
import { listCommand } from '../command/list-command.ts';
import { concerned, createCommand } from './create-commands.ts';

const list = listCommand(
  'List codes: their store or device, uses and expiry. The codes themselves are not stored.',
  async (db, company) => {
    const now = Date.now();
    const codes = await listEnrolmentCodes(db, { company });
    return codes.map((code) => ({ ...code, state: stateOf(code, now) }));
  },
);

type State = 'active' | 'used up' | 'expired' | 'revoked';

function stateOf({ used, uses, expiresAt, revokedAt }: ListedEnrolmentCode, now: number): State {
  if (revokedAt) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return used < uses ? 'active' : 'used up';
}

const code: ArgumentSpec<number> = {
  name: '<id>',
  description: 'the number of an enrolment code, as `admin enrolment list` shows it',
  kind: { expected: 'the number of a code', parse: wholeNumber(0, 999_999_999).parse },
};

function unknownCode(id: number): Refused {
  return new Refused(`there is no code ${id}; see \`admin enrolment list\``);
}

const revokeCommand = command({
  name: 'revoke',
  description:
    'Revoke a code: no unit can enrol with it any more. Units that have enrolled are not affected.',
  argument: code,
  run: async (context, _options, id) => {
    const changed = await change(context, async (trx, record) => {
      const [code] = await listEnrolmentCodes(trx, { id });
      if (code === undefined) throw unknownCode(id);
      const changed = await revokeEnrolmentCode(trx, id);
      const action = 'enrolment code revoked';
      if (changed) await record({ action, ...concerned(code), details: { code: id } });
      return changed;
    });
    return { json: { id, changed }, text: `${changed ? 'revoked' : 'was revoked before:'} code ${id}` };
  },
});

export const enrolmentCommands = group(
  'enrolment',
  'Create, list and revoke the codes by which units enrol.',
  [createCommand, list, revokeCommand],
);
