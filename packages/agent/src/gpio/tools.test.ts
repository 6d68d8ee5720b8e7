import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLines } from '../async/text-lines.ts';
import { monotonicMs } from '../clock/time.ts';
import type { LineEdge } from './gpio-tools.ts';
import { parseEdgeV1, parseEdgeV2, parseVersion, toolsV1, toolsV2 } from './libgpiod.ts';

/** The output of libgpiod 2.2.1 on Debian trixie while a person walked in. */
const recordedV2 = `Monitoring lines 'GPIO17', and 'GPIO27'...
GPIO17 2 11.255477775
GPIO27 2 11.326054644
GPIO17 1 11.384300578
GPIO27 1 11.442791404
`;

/** The same walk in the format of libgpiod 1.6: falling is 0, nanoseconds have no leading zeros. */
const recordedV1 = `17 0 11 255477775
27 0 11 326054644
17 1 11 384300578
27 1 12 2791404
`;

const walk: LineEdge[] = [
  { line: 'GPIO17', high: false, at: monotonicMs(11_255) },
  { line: 'GPIO27', high: false, at: monotonicMs(11_326) },
  { line: 'GPIO17', high: true, at: monotonicMs(11_384) },
  { line: 'GPIO27', high: true, at: monotonicMs(11_442) },
];
const offsets = new Map([
  ['17', 'GPIO17'],
  ['27', 'GPIO27'],
]);

const versions = [
  { recorded: recordedV2, parse: parseEdgeV2, edges: walk },
  {
    recorded: recordedV1,
    parse: (text: string) => parseEdgeV1(text, offsets),
    edges: [...walk.slice(0, 3), { line: 'GPIO27', high: true, at: 12_002 }],
  },
];

test.each(versions)('reads recorded output however it is split', async ({ recorded, parse, edges }) => {
  const bytes = Buffer.from(recorded);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      const seen: LineEdge[] = [];
      for await (const lines of textLines(from(pieces))) {
        seen.push(...lines.flatMap((line) => parse(line) ?? []));
      }
      expect(seen).toEqual(edges);
    }),
  );
});

async function* from(pieces: readonly Uint8Array[]) {
  yield* pieces;
}

test.each(['GPIO17 3 11.255477775', '17 1', 'GPIO17 1 11.25', 'Segmentation fault'])(
  'refuses a line that is not an edge: %s',
  (text) => {
    expect(() => parseEdgeV2(text)).toThrow(`gpiomon printed ${JSON.stringify(text)}: expected an edge`);
    expect(() => parseEdgeV1(text, offsets)).toThrow('expected an edge');
  },
);

test('reads the version of the library, and ignores that of its licence', () => {
  const v1 = 'gpiomon (libgpiod) v1.6.3\nCopyright (C) 2017-2018 Bartosz Golaszewski\nLicense: LGPLv2.1\n';
  expect(parseVersion(v1)).toEqual({ version: '1.6.3', major: 1 });
  expect(parseVersion('gpiomon (libgpiod) v2.2.1\n')).toEqual({ version: '2.2.1', major: 2 });
  expect(() => parseVersion('License: LGPLv2.1')).toThrow('expected a version');
});

/** Answers as the tools do, and keeps the command lines. */
function tools(answers: Readonly<Record<string, string>>) {
  const commands: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    commands.push([program, ...args].join(' '));
    return answers[`${program} ${args.at(-1)}`] ?? answers[program] ?? '';
  };
  return { commands, run };
}

test('requests lines from libgpiod 2 by their names', async () => {
  const { commands, run } = tools({ gpioget: '1 0\n' });
  const v2 = toolsV2('2.2.1', run);
  expect(await v2.levels(['GPIO17', 'GPIO27'], 'pull-up')).toEqual([true, false]);
  const { program, args } = await v2.monitor(['GPIO17', 'GPIO27'], 'as-is');
  expect([...commands, [program, ...args].join(' ')]).toEqual([
    'gpioget -b pull-up --numeric GPIO17 GPIO27',
    'gpiomon --banner --unquoted -F %l %e %S GPIO17 GPIO27',
  ]);
});

test('addresses lines of libgpiod 1.6 by chip and offset, and returns their names', async () => {
  const found = {
    'gpiofind GPIO17': 'gpiochip0 17\n',
    'gpiofind GPIO27': 'gpiochip0 27\n',
    gpioget: '0 1\n',
  };
  const { commands, run } = tools(found);
  const v1 = toolsV1('1.6.3', run);
  expect(await v1.levels(['GPIO17', 'GPIO27'], 'disabled')).toEqual([false, true]);
  const { program, args, parse } = await v1.monitor(['GPIO17', 'GPIO27'], 'pull-up');
  expect(commands).toContain('gpioget -B disable gpiochip0 17 27');
  expect([program, ...args].join(' ')).toBe('gpiomon -b -B pull-up -F %o %e %s %n gpiochip0 17 27');
  expect(parse('27 1 5 6000000')).toEqual({ line: 'GPIO27', high: true, at: 5_006 });
});

test('refuses two lines on different chips with libgpiod 1.6, and output without levels', async () => {
  const { run } = tools({
    'gpiofind GPIO17': 'gpiochip0 17\n',
    'gpiofind GPIO27': 'gpiochip1 3\n',
    gpioget: '?',
  });
  const different = 'GPIO17 and GPIO27 are on different chips';
  await expect(toolsV1('1.6.3', run).monitor(['GPIO17', 'GPIO27'], 'as-is')).rejects.toThrow(different);
  await expect(toolsV2('2.2.1', run).levels(['GPIO17'], 'as-is')).rejects.toThrow('gpioget printed "?"');
});

test('blinks a line by one process, which on libgpiod 1.6 is a loop', async () => {
  const { run } = tools({ 'gpiofind GPIO22': 'gpiochip0 22\n' });
  const v2 = await toolsV2('2.2.1', run).blink('GPIO22', true, [100, 900]);
  expect([v2.program, ...v2.args].join(' ')).toBe('gpioset -l -t 100,900 GPIO22=1');
  const v1 = await toolsV1('1.6.3', run).blink('GPIO22', false, [100, 1_900]);
  expect(v1.args.join(' ')).toContain(
    'while :; do gpioset -m time -s 0 -u 100000 gpiochip0 22=1 & p=$!; wait $p || exit 1; gpioset -m time -s 1 -u 900000 gpiochip0 22=0 &',
  );
});
