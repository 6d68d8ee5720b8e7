import type { Body, Scene } from './walking-bodies.ts';

export const kinds = [
  'walks',
  'runs',
  'stands in the door',
  'turns back',
  'turns back after both beams',
  'is followed',
  'stands and is followed',
  'is followed by one who turns back',
] as const;
export type Kind = (typeof kinds)[number];

/** A scene of a kind; `random` returns numbers in [0, 1). */
export function drawScene(kind: Kind, random: () => number): Scene {
  const between = (low: number, high: number) => low + random() * (high - low);
  const spacing = between(0.04, 0.15);
  const from = random() < 0.5 ? 'a' : 'b';
  const body = (): Body => ({ depth: between(0.18, 0.6), speed: between(0.4, 1.8), gap: between(0.03, 0.6) });
  const stops = (one: Body) => ({
    stopAt: between(-0.05, one.depth + spacing),
    stopFor: between(200, 9_000),
  });
  const others = () => Array.from({ length: 1 + Math.floor(random() * 3) }, body);
  /** The person turns somewhere before their rear has left the far beam. */
  const turns = (one: Body) => ({
    turnAt: between(0.01, spacing + one.depth - 0.005),
    speedBack: between(0.4, 1.8),
  });
  const one = body();
  switch (kind) {
    case 'walks':
      return { spacing, from, people: [one] };
    case 'runs':
      return { spacing, from, people: [{ ...one, speed: between(1.8, 3.5) }] };
    case 'stands in the door':
      return { spacing, from, people: [{ ...one, ...stops(one) }] };
    case 'turns back':
      return { spacing, from, people: [{ ...one, ...turns(one) }] };
    case 'turns back after both beams':
      return {
        spacing,
        from,
        people: [{ ...one, turnAt: spacing + one.depth + between(0.03, 0.19), speedBack: between(0.4, 1.8) }],
      };
    case 'is followed':
      return { spacing, from, people: [one, ...others()] };
    case 'stands and is followed':
      return { spacing, from, people: [{ ...one, ...stops(one) }, ...others()] };
    case 'is followed by one who turns back': {
      /* If the two were closer, the far beam could not distinguish them: see decision 6. */
      const last = { ...body(), gap: spacing + between(0.02, 0.4) };
      return { spacing, from, people: [one, { ...last, ...turns(last) }] };
    }
  }
}
