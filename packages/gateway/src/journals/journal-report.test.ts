import { expect, test } from 'vitest';
import { type JournalReport, journalReports } from './journal-report.ts';

const sender = { deviceId: 1, serial: 'CU-1' };

const report = (parts: Partial<JournalReport>): JournalReport => ({
  ...sender,
  journal: 'j',
  acknowledged: 0,
  lost: [],
  ...parts,
});

test('reports at most eight journals of a heartbeat, its own first, and none that cannot be stored', () => {
  const lost = Array.from({ length: 9 }, (_, n): [string, number, number] => [`lost-${n}`, 0, 2]);
  const volatile = { journal: 'v', recorded: 3, acknowledged: 3 };

  const reports = journalReports(sender, {
    at: 1,
    journal: 'j',
    recorded: 7,
    acknowledged: 5,
    volatile,
    lost: [['no journal', 1, 2], ...lost],
  });

  const names = ['j', 'v', 'lost-0', 'lost-1', 'lost-2', 'lost-3', 'lost-4', 'lost-5'];
  expect(reports.map(({ journal }) => journal)).toEqual(names);
  expect(reports.slice(0, 3)).toEqual([
    report({ recorded: 7, acknowledged: 5 }),
    report({ journal: 'v', recorded: 3, acknowledged: 3 }),
    report({ journal: 'lost-0', lost: [{ first: 1, last: 2 }] }),
  ]);
});
