import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RepeatedText } from './repeated-text.ts';

test('reads every text as it is, also after the same, a longer, a shorter and a slightly other one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('counter/v1/a/status', 'counter/v1/b/status', 'counter/v1/ä', '', '\0'), {
        maxLength: 30,
      }),
      fc.nat({ max: 4 }),
      (texts, before) => {
        const reader = new RepeatedText();
        const room = Buffer.alloc(64);
        for (const text of texts) {
          const length = room.write(text, before);
          expect(reader.read(room, before, before + length)).toBe(text);
        }
      },
    ),
  );
});
