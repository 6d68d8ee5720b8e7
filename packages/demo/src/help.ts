import { helpOfSettings } from '@visitor-counter/service/settings/print-settings';
import { demoSettings } from './config/demo-config.ts';

export const help = `Usage: npx pnpm start

Runs the whole product in this terminal: PostgreSQL, the server, and counter units with simulated beams that deliver a
real recording. Ctrl-C stops everything; the next start continues. All data and logs are in the folder DATA_DIR.

${helpOfSettings([{ title: 'Environment variables', settings: demoSettings }])}
A default port that is taken is replaced by the next free one. With a certificate, units of your own connect with TLS,
and the simulated ones to 127.0.0.1 without it. The other settings of npx pnpm serve --help are valid here, too.

Exit codes: 0 stopped by a signal, 1 failed, 2 a setting or an argument cannot be used.
`;
