import { type Lag, readLag, rebuildProjection } from '@visitor-counter/database/projection/projection';
import { command, group } from '../command/command.ts';
import { change, withDatabase } from '../command/context.ts';
import { counted } from '../command/text.ts';

const status = command({
  name: 'status',
  description: 'Show how far occupancy is behind the crossings.',
  help: `
JSON: {"marks":<marks of quarter hours that have changed>,"lag":<ms since the oldest one was written>}`,
  run: async (context) => {
    const lag = await withDatabase(context, readLag);
    return { json: lag, text: lagText(lag) };
  },
});

function lagText({ marks, lag }: Lag): string {
  if (marks === 0) return 'up to date';
  return `${counted(marks, 'change')} not in the numbers; the oldest is ${(lag / 1_000).toFixed(1)} s old`;
}

const rebuild = command({
  name: 'rebuild',
  description:
    'Order the occupancy of all stores to be rebuilt from crossings and corrections, while services run.',
  help: '\nThe projector rebuilds it; `admin projection status` shows what is left.\n\nJSON: {"quarters"}',
  run: (context) =>
    change(context, async (trx, record) => {
      const quarters = await rebuildProjection(trx);
      const subject = { kind: 'projection', key: 'occupancy' } as const;
      const details = { quarters };
      await record({ action: 'rebuild ordered', company: null, subject, details });
      return { json: { quarters }, text: `${counted(quarters, 'quarter hour')} to rebuild` };
    }),
});

export const projectionCommands = group(
  'projection',
  'Show the state of the numbers derived from crossings, or rebuild them.',
  [status, rebuild],
);
