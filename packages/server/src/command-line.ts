import { type Answer, answerArguments, helpOfSettings } from '@visitor-counter/service/command-line';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type RoleName, roleNames, rolesIn, settingsOf } from './roles.ts';

/** The meaning of the server's arguments: roles to run, or an answer to print. */
export type Command = { readonly roles: readonly RoleName[] } | Answer;
/** Reads `--role` and `--help`. Anything else is answered with exit code 2. */
export function readCommand(args: readonly string[]): Command {
  try {
    const { rest, roles } = readRoles(args);
    return answerArguments(rest, helpOf(roles)) ?? { roles };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { text: error.message, exitCode: 2 };
  }
}

/** The roles of `--role <list>` or `--role=<list>`, all without it, and the other arguments. */
function readRoles(args: readonly string[]): { roles: readonly RoleName[]; rest: readonly string[] } {
  const at = args.findIndex((arg) => arg === '--role' || arg.startsWith('--role='));
  const option = args[at];
  if (option === undefined) return { roles: roleNames, rest: args };
  const isInline = option !== '--role';
  const list = isInline ? option.slice('--role='.length) : (args[at + 1] ?? '');
  return { roles: rolesIn(list), rest: args.toSpliced(at, isInline ? 1 : 2) };
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
