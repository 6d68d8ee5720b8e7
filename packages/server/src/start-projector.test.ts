import { createLogger } from '@visitor-counter/service/logger';
import { Metrics } from '@visitor-counter/service/metrics';
import { expect, onTestFinished, test, vi } from 'vitest';
import { removalObserver } from './start-projector.ts';

test('logs how many crossings of a company were removed, without those of other companies', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: { company: string; removed: number }[] = [];
  const log = createLogger('test', {}, { write: (line) => void lines.push(JSON.parse(line)) });
  const { onRemoved } = removalObserver(log, new Metrics());
  const acme = { companyId: 1, company: 'Acme', before: 0, until: 0, from: 0, removed: 0 };
  const bell = { ...acme, company: 'Bell', removed: 30 };
  for (const [pass, removed] of [
    [acme, 1_000],
    [acme, 200],
    [bell, 5],
    [bell, 6],
  ] as const) {
    onRemoved(pass, removed);
    vi.advanceTimersByTime(60_000);
  }

  expect(lines.map(({ company, removed }) => [company, removed])).toEqual([
    ['Acme', 1_000],
    ['Acme', 1_200],
    ['Bell', 35],
    ['Bell', 41],
  ]);
});

test('reports that it removes crossings until the pass is finished or its connection ends', async () => {
  const metrics = new Metrics();
  const { onRemoved, onFinished, onInterrupted } = removalObserver(
    createLogger('test', { LOG_LEVEL: 'silent' }),
    metrics,
  );
  const pass = { companyId: 1, company: 'Acme', before: 0, until: 0, from: 0, removed: 0 };
  const isActive = async () => /retention_active (\d)/.exec(await metrics.metrics())?.[1];

  for (const end of [() => onFinished(pass, 1), onInterrupted]) {
    onRemoved(pass, 1);
    expect(await isActive()).toBe('1');
    end();
    expect(await isActive()).toBe('0');
  }
});
