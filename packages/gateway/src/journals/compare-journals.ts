import { updateCoverage } from '@visitor-counter/database/coverage/update-coverage';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { JournalReport } from './journal-report.ts';

/** The most journals that are collected; further reports are dropped. */
const limit = 20_000;

/** Journals in one statement. */
const chunk = 500;

/** What units have reported about their journals since the last comparison. Heartbeats repeat it, so it may be lost. */
export class JournalReports {
  #reports = new Map<string, JournalReport>();

  /** Replaces an earlier report about the same journal. */
  add(report: JournalReport): void {
    const key = `${report.deviceId} ${report.journal}`;
    if (this.#reports.has(key) || this.#reports.size < limit) this.#reports.set(key, report);
  }

  /** Removes and returns all reports. */
  take(): readonly JournalReport[] {
    const reports = [...this.#reports.values()];
    this.#reports.clear();
    return reports;
  }
}

/** Compares journals with what is stored, and logs which gaps were found, and which are filled. */
export async function compareJournals(
  db: Database['kysely'],
  log: BoundedLog,
  reports: readonly JournalReport[],
): Promise<void> {
  const serials = new Map(reports.map(({ deviceId, serial }) => [deviceId, serial]));
  for (let start = 0; start < reports.length; start += chunk) {
    const compared = await updateCoverage(db, reports.slice(start, start + chunk));
    for (const { deviceId, journal, missing, before, lost } of compared) {
      const about = { serial: serials.get(deviceId), journal };
      if (lost > 0) log.write('error', { ...about, lost }, 'crossings lost: the unit no longer has them');
      if (missing > before) log.write('warn', { ...about, missing }, 'crossings missing in the database');
      if (missing === 0 && before > 0) log.write('info', about, 'no crossings missing any more');
    }
  }
}
