import { expect, test } from 'vitest';
import { monotonicMs } from '../clock/time.ts';
import { defaultDetectorSettings } from '../config/agent-config.ts';
import { type Passage, passageFrom, type Step, stepPassage } from './path.ts';

type Phase = Passage['phase'];

/** The next phase of each step; `same` is a step that cannot happen in that phase. */
const table: Record<Phase, Record<Step, string>> = {
  near: {
    'near-breaks': 'same',
    'near-clears': 'clear, partialPaths',
    'far-breaks': 'both',
    'far-clears': 'same',
  },
  both: { 'near-breaks': 'same', 'near-clears': 'far', 'far-breaks': 'same', 'far-clears': 'near' },
  far: {
    'near-breaks': 'both-again',
    'near-clears': 'same',
    'far-breaks': 'same',
    'far-clears': 'clear, counted at 1000',
  },
  'both-again': {
    'near-breaks': 'same',
    'near-clears': 'far',
    'far-breaks': 'same',
    'far-clears': 'near-again',
  },
  'near-again': {
    'near-breaks': 'same',
    'near-clears': 'clear, turnBacks',
    'far-breaks': 'both, counted at 800',
    'far-clears': 'same',
  },
};

const phases = Object.keys(table) as Phase[];
const steps = Object.keys(table.near) as Step[];

for (const near of ['a', 'b'] as const) {
  for (const phase of phases) {
    test.each(steps)(`${near} first, ${phase}: %s leads to the phase in the table`, (step) => {
      const path: Passage = {
        ...passageFrom(near, monotonicMs(0)),
        phase,
        overlapped: phase !== 'near',
        againAt: monotonicMs(600),
        farClearedAt: monotonicMs(800),
      };
      const stepped = stepPassage(path, step, monotonicMs(1000), defaultDetectorSettings);
      if (table[phase][step] === 'same') return expect(stepped).toEqual({ path });
      const counted = stepped.crossing && `counted at ${stepped.crossing.at}`;
      const seen = [stepped.path.phase, counted, stepped.fact].filter(Boolean).join(', ');
      expect(seen).toBe(table[phase][step]);
      if (stepped.crossing) expect(stepped.crossing.direction).toBe(near === 'a' ? 1 : -1);
    });
  }
}
