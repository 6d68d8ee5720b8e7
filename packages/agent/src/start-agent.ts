import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Environment } from '@visitor-counter/service/environment';
import type { Logger } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
import type { Beams, BeamsStart } from './beams/beams.ts';
import { openBeams } from './beams/open-beams.ts';
import { progressOf, reportProgress } from './commands/progress.ts';
import type { AgentConfigFile } from './config/agent-config.ts';
import { loadConfig, readText } from './config/load-config.ts';
import { Detector } from './detector/detector.ts';
import { defaultDetectorSettings } from './detector/detector-settings.ts';
import type { FileSystem } from './journal/file-system.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { JournalInUse } from './journal/journal-errors.ts';
import { nodeFileSystem } from './journal/node-file-system.ts';
import { recordCrossings } from './record-crossings.ts';
import { heartbeatOf } from './uplink/heartbeat.ts';
import { Uplink } from './uplink/uplink.ts';
import { type Account, defaultUplinkSettings, type UplinkSettings } from './uplink/uplink-settings.ts';
import { version } from './version.ts';

/** What tests make worse or quicker than it is. */
export interface AgentParts {
  /** The file operations of the journal. */
  readonly files?: FileSystem;
  readonly uplink?: Partial<UplinkSettings>;
}

/** Starts beams, detector, journal and uplink. Throws ConfigurationError. */
export async function startAgent(
  configFile: string,
  env: Environment,
  log: Logger,
  { files = nodeFileSystem, uplink: settings = {} }: AgentParts = {},
): Promise<Running> {
  const config = await loadConfig(configFile, env);
  const account = await accountOf(config);
  const journal = await openJournalOf(config, files, log);
  const resumeAfter = journal.recordedAt > 0 ? journal.recordedAt : undefined;
  const beams = await openBeams(config.beams, { resumeAfter, clock: Date.now, ...toldTo(log) });
  const detector = new Detector(
    { ...defaultDetectorSettings, ...config.detector },
    beams.levels,
    beams.now() ?? Date.now(),
  );
  const uplink = startUplink(account, { ...uplinkSettings(config), ...settings }, journal, detector, log);
  const stopReporting = reportProgress(() => progressOf(journal, beams), log);
  const stopRecording = startRecording({ beams, detector, journal, resumeAfter }, log);
  return {
    ready: { serial: config.serial, journal: journal.id, recorded: journal.recorded },
    close: async () => {
      await stopRecording();
      await uplink.close();
      await journal.close();
      stopReporting();
    },
  };
}

async function openJournalOf(config: AgentConfigFile, files: FileSystem, log: Logger): Promise<Journal> {
  try {
    const journal = await openJournal(config.journal, {
      files,
      onProblem: (error) => log.warn({ err: error }, 'the acknowledged position could not be stored'),
    });
    if (journal.setAside.length > 0)
      log.error({ files: journal.setAside }, 'unreadable journal files set aside');
    if (journal.lost.length > 0) log.error({ lost: journal.lost }, 'sequences of the journal cannot be read');
    return journal;
  } catch (error) {
    if (!(error instanceof JournalInUse)) throw error;
    throw new ConfigurationError('journal', config.journal, 'a folder that no other agent has open');
  }
}

async function accountOf({ server, serial, secret, ca }: AgentConfigFile): Promise<Account> {
  return { server, serial, secret, ...(ca === undefined ? {} : { ca: await readText(ca, 'ca') }) };
}

function startUplink(
  account: Account,
  settings: UplinkSettings,
  journal: Journal,
  detector: Detector,
  log: Logger,
): Uplink {
  const heartbeat = () =>
    heartbeatOf({
      journal,
      beams: detector.beams,
      facts: detector.facts,
      version,
      now: Date.now(),
      uptime: process.uptime(),
    });
  return new Uplink({ account, journal, settings, heartbeat, log, random: Math.random });
}

function uplinkSettings({ uplink = {} }: AgentConfigFile): UplinkSettings {
  const { heartbeatSeconds, commitSeconds, ...rest } = uplink;
  const heartbeat = heartbeatSeconds === undefined ? {} : { heartbeatEvery: heartbeatSeconds * 1_000 };
  const commit = commitSeconds === undefined ? {} : { commitWithin: commitSeconds * 1_000 };
  return { ...defaultUplinkSettings, ...rest, ...heartbeat, ...commit };
}

interface Recording {
  readonly beams: Beams;
  readonly detector: Detector;
  readonly journal: Journal;
  readonly resumeAfter: number | undefined;
}

/**
 * Records until the returned function is called. A unit that cannot record must not look as though it did:
 * when the source or the journal fails, the process ends, and a new start repairs the journal.
 */
function startRecording(parts: Recording, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const alarm = blockedAlarm(parts.detector, log);
  const ended = recordCrossings({ ...parts, onBatch: alarm }, stopping.signal).catch((error: unknown) => {
    log.fatal({ err: error }, 'crossings cannot be recorded any more');
    process.exit(1);
  });
  return async () => {
    stopping.abort();
    await ended;
  };
}

/** Logs why the lines cannot be read, once for each reason, and that they are read again. */
function toldTo(log: Logger): Pick<BeamsStart, 'onProblem' | 'onReading'> {
  let told: string | undefined;
  return {
    onProblem: (problem, retryIn) => {
      const level = problem.message === told ? 'debug' : 'error';
      told = problem.message;
      log[level]({ err: problem, retryIn }, 'beams cannot be read: nothing is counted');
    },
    onReading: () => {
      told = undefined;
      log.info('beams are read');
    },
  };
}

/** Logs when a beam becomes blocked, and when it is clear again. */
function blockedAlarm(detector: Detector, log: Logger): () => void {
  const told = { a: 'clear', b: 'clear' };
  return () => {
    const { beams } = detector;
    for (const line of ['a', 'b'] as const) {
      const { state, since } = beams[line];
      if (state === told[line]) continue;
      told[line] = state;
      if (state === 'blocked') log.warn({ beam: line, since }, 'beam blocked: nothing is counted');
      else log.info({ beam: line, since }, 'beam clear again');
    }
  };
}
