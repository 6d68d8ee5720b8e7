import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('turns off what the runtime has: of one that it does not know it would say nothing', () => {
  const flags = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(flags).toMatch(
    /--allocation-site-pretenuring .*\n\s+type: bool\s+default: --allocation-site-pretenuring/,
  );
});
