import { readFile } from 'node:fs/promises';
import { reasonOf } from '@visitor-counter/service/errors';
import { encodeDiagnosis, type Finding } from '@visitor-counter/wire/diagnosis-message';
import { parse } from 'yaml';
import type { AgentConfig } from '../config/agent-config.ts';
import { examineDoor, examineUnit } from '../doctor/doctor.ts';
import { fail } from '../doctor/finding.ts';
import { viewOf } from '../local/door-view.ts';
import type { Door } from '../recording/door.ts';
import type { RecentLines } from './recent-lines.ts';
import { Redaction, secretsIn } from './redaction.ts';

/** The running agent, as its diagnosis sees it. */
export interface DiagnosedUnit {
  readonly configFile: string;
  readonly env: NodeJS.ProcessEnv;
  readonly unit: AgentConfig;
  /** The last lines of the log; without them a diagnosis has none. */
  readonly recentLines: RecentLines | undefined;
}

/**
 * Examines the unit as `doctor` does, without its beams and its connection, which the running agent uses, and returns
 * the message that answers the command `id`: findings and log without secrets, in bounded size.
 */
export async function diagnose(id: number, agent: DiagnosedUnit, door: Door): Promise<string> {
  const { recentLines } = agent;
  const redaction = new Redaction(await secretsOf(agent), [door.journal.id]);
  const findings = await examined(agent, door);
  return encodeDiagnosis({
    id,
    at: Math.max(0, Math.floor(Date.now())),
    findings: findings.map(({ advice, ...finding }) => ({
      ...finding,
      detail: redaction.text(finding.detail),
      ...(advice !== undefined && { advice: redaction.text(advice) }),
    })),
    log: (recentLines?.lines ?? []).map((line) => redaction.line(line)),
    omitted: recentLines?.dropped ?? 0,
  });
}

async function examined({ configFile, env, unit }: DiagnosedUnit, door: Door): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    for await (const finding of examineUnit(configFile, env)) findings.push(finding);
    for await (const finding of examineDoor(door.config, unit, env, viewOf(door))) findings.push(finding);
    return findings;
  } catch (error) {
    const reason = reasonOf(error);
    return [...findings, fail('examination', reason, 'run `counter-agent doctor` on the unit')];
  }
}

/** All secrets in the configuration file and the environment. */
async function secretsOf({ configFile, env, unit }: DiagnosedUnit): Promise<string[]> {
  return [...secretsIn(unit), ...secretsIn(env), ...secretsIn(await fileContent(configFile))];
}

/** The present content of the file, which may have been edited since the agent read it. */
async function fileContent(file: string): Promise<unknown> {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
