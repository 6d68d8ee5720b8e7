import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@visitor-counter/database/sql/connect';
import { type AlertStack, startAlertStack, victims } from '@visitor-counter/system-tests/alerts/alert-stack';
import { incidents } from '@visitor-counter/system-tests/alerts/incidents';
import { type Kill, type Lateness, runRound } from '@visitor-counter/system-tests/alerts/run-round';
import { below, type Figure, type Measured, once, showProgress } from '../shared/report.ts';

export interface AlertsOptions {
  readonly rounds: number;
  /** Whether processes are killed. */
  readonly kills: boolean;
}

/** Processes are killed at a random time within so many ms before or after alerts are due. */
const around = { before: 1_000, after: 3_000 };

/** What the product promises (ms). */
const promised = 10_000;

/** Measures the delay of alerts about the beginning and the end of incidents while processes are killed in turn. */
export async function benchAlerts({ rounds, kills }: AlertsOptions): Promise<Measured> {
  await using cleaning = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-alerts-'));
  cleaning.defer(() => rm(folder, { recursive: true }));
  const stack = cleaning.adopt(await startAlertStack(folder), ({ stop }) => stop());
  const late: Lateness[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const killed = kills ? [killAt(round), killAt(round + 1)] : [];
    showProgress(`round ${round + 1} of ${rounds}: ${killed.map(({ victim }) => victim).join(', ')}`);
    late.push(...(await runRound(stack, { raising: killed, clearing: kills ? [killAt(round + 2)] : [] })));
  }
  const kinds = Object.keys(incidents);
  const worst = Math.max(...late.map((one) => one.late));
  const tooMany = (await alertsIn(stack)) - kinds.length * rounds;
  return {
    figures: [
      once('messages', '', late.length),
      ...(['raised', 'cleared'] as const).flatMap((event) =>
        (['webhook', 'mail'] as const).map((by) =>
          figure(`${event}, by ${by}`, late, (one) => one.event === event && one.by === by),
        ),
      ),
      ...kinds.map((kind) => figure(kind, late, ({ company }) => company === kind)),
      once('messages not signed, or unreadable', '', stack.sinks.refused.length),
    ],
    targets: [
      below('the latest message', worst, 'ms', promised),
      below('alerts beyond one an incident', Math.abs(tooMany), '', 1),
    ],
  };
}

function killAt(turn: number): Kill {
  const victim = victims[turn % victims.length] ?? 'alerts';
  return { victim, behind: Math.random() * (around.before + around.after) - around.before };
}

function figure(name: string, late: readonly Lateness[], is: (one: Lateness) => boolean): Figure {
  return { name, unit: 'ms', values: late.filter(is).map((one) => one.late) };
}

async function alertsIn({ databaseUrl }: AlertStack): Promise<number> {
  const { pool, close } = connect(databaseUrl, { applicationName: 'bench', maxConnections: 1 });
  try {
    const { rows } = await pool.query<{ count: number }>('select count(*)::integer as count from alert');
    return rows[0]?.count ?? 0;
  } finally {
    await close();
  }
}
