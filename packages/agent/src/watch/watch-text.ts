import { styleText } from 'node:util';
import type { DoorView } from '../local/door-view.ts';

/** The state of a door for the installer who aligns its beams. */
export function watchText(view: DoorView, source: string, recent: readonly string[]): string {
  const { beams, facts } = view;
  const { turnBacks = 0, noise = 0, unclear = 0, slow = 0, resyncs = 0 } = facts;
  return [
    `${styleText('bold', view.serial)}   ${styleText('dim', source)}`,
    '',
    `  street  ${beam('a', beams.a)}${beams.b ? `    ${beam('b', beams.b)}  store` : ''}`,
    ...(view.problem === undefined ? [] : [styleText('red', `  ${view.problem}`)]),
    '',
    `  in ${styleText('bold', String(view.in))}   out ${styleText('bold', String(view.out))}`,
    `  turned back ${turnBacks}, only a ${beams.a?.alone ?? 0}, only b ${beams.b?.alone ?? 0}, too short ${noise}, ` +
      `slow ${slow}, unclear ${unclear}, lost edges ${(view.lostEdges ?? 0) + resyncs}`,
    '',
    ...recent.map((line) => `  ${line}`),
    styleText('dim', '  Ctrl-C ends this.'),
  ].join('\n');
}

function beam(name: string, state: DoorView['beams']['a']): string {
  if (state?.broken === undefined) return `${name} ${styleText('yellow', '? unknown')}`;
  if (state.state === 'blocked') return `${name} ${styleText('red', '● BLOCKED')}`;
  return state.broken
    ? `${name} ${styleText('yellow', '● broken ')}`
    : `${name} ${styleText('green', '○ clear  ')}`;
}
