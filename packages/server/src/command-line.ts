import { parseArgs } from 'node:util';
import { type Answer, helpOfSettings } from '@visitor-counter/service/command-line';
import { reasonOf } from '@visitor-counter/service/errors';
import { type RoleName, roleNames, rolesIn, settingsOf } from './roles.ts';

/** The meaning of the server's arguments: roles to run, or an answer to print. */
export type Command = { readonly roles: readonly RoleName[] } | Answer;

const options = { role: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } } as const;

/** Reads `--role` and `--help`. Anything else is answered with exit code 2. */
export function readCommand(args: readonly string[]): Command {
  try {
    const { role, help } = parseArgs({ args: [...args], options }).values;
    const roles = role === undefined ? roleNames : rolesIn(role.join(','));
    return help ? { text: helpOf(roles).trimEnd(), exitCode: 0 } : { roles };
  } catch (error) {
    return { text: reasonOf(error), exitCode: 2 };
  }
}

function helpOf(roles: readonly RoleName[]): string {
  return `Usage: npx pnpm serve [--role <roles>]

Runs the server in one process, or some of its roles (${roleNames.join(', ')}, separated by commas):

  gateway    the MQTT broker of the counter units; the only writer of crossings
  projector  derives occupancy from what all gateways store; of several, one works and the others are on standby
  api        the public HTTP interface: the five operations, /v1 and the page
  alerts     sends alerts to companies, by webhook and mail, and reports by mail

With all roles and without DATABASE_URL the server runs the embedded PostgreSQL; with some of them it uses the one that
runs. The server is configured by environment variables, logs JSON lines, and stops on SIGTERM or Ctrl-C.

${helpOfSettings(settingsOf(roles))}
Exit codes: 0 stopped by a signal, 1 failed, 2 a setting or an argument cannot be used.
More in docs/operators.md and docs/configuration.md.
`;
}
