import { reasonOf } from '@visitor-counter/service/errors';
import type { DoorConfig } from '../config/agent-config.ts';
import { checkDisk } from '../doctor/check-machine.ts';
import { askOnce } from '../local/ask-agent.ts';

/**
 * What does not work in a door of the running agent: the part (`agent`, `beams`, `journal`, `server`) and the reason. The
 * service counter-update compares the parts before and after an update.
 */
export async function problemsOf({ journal, beams }: DoorConfig): Promise<string[]> {
  try {
    const view = await askOnce(journal);
    if (view?.delivery === undefined) return ['agent: does not answer'];
    const { connected, failure = 'no connection yet' } = view.delivery;
    const isUnread = beams.source === 'gpio' && view.beams.a?.broken === undefined;
    const unreadable = view.problem ?? (isUnread ? 'not read yet' : undefined);
    const disk = await checkDisk(journal, view);
    return [
      ...(unreadable === undefined ? [] : [`beams: ${unreadable}`]),
      ...(disk.verdict === 'fail' ? [`journal: ${disk.detail}`] : []),
      ...(connected ? [] : [`server: ${failure}`]),
    ];
  } catch (error) {
    return [`agent: ${reasonOf(error)}`];
  }
}
