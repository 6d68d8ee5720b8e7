import { seededRandom } from '@visitor-counter/simulation/random';
import type { Channel } from '@visitor-counter/wire/topics';

/** A message that no honest unit sends. */
export interface ExtremeMessage {
  readonly channel: Channel;
  readonly payload: string;
}

/** Numbers at the bounds of JSON, ECMAScript and PostgreSQL, and of the instants that they can write. */
const numbers: readonly string[] = [
  ...['0', '-0', '1', '-1', '0.5', '1e-320', '127', '128', '255', '256', '32767', '32768', '65535', '65536'],
  ...['2147483647', '2147483648', '-2147483649', '4294967295', '4294967296', '281474976710656'],
  ...['9007199254740991', '9007199254740992', '-9007199254740991', '9223372036854775807', '1e308', '1e400'],
  ...['8640000000000000', '8640000000000001', '-8640000000000000', '253402300799999', '253402300800000'],
  ...['9224318015999999', '9224318016000000', '-210866803200000', '-210866803200001'],
];

/** Text that a program can misinterpret. */
const texts: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\ufeff',
    '\u202e',
    '😀'.repeat(30),
    'x'.repeat(128),
    'x'.repeat(4_000),
  ],
  ...[
    '__proto__',
    'constructor',
    'null',
    "'; drop table crossing --",
    '=1+1',
    '@x',
    '\t',
    '\r\n',
    '%00',
    '\\',
  ],
  ...['<script>alert(1)</script>', 'https://example.org/pay-here', '../../etc/passwd', '{{7*7}}', '$1'],
];
const quotedTexts = texts.map((text) => JSON.stringify(text));

/** All extremes that a device can send in heartbeats and crossings; those of several fields are drawn from the seed. */
export class ExtremeMessages {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Every extreme of every field, in messages that are valid otherwise. */
  *everyField(): Generator<ExtremeMessage> {
    const values = [...numbers, ...quotedTexts, 'null', '[]', '{}', 'true'];
    for (const field of Object.keys(this.#validFields()))
      for (const value of values) yield this.#heartbeat({ [field]: value });
    const now = Date.now();
    for (const number of numbers) {
      yield this.#heartbeat({ beams: this.#beams(number, '1') });
      yield this.#heartbeat({ beams: this.#beams('1', number) });
      yield { channel: 'crossings', payload: `{"journal":"e","first":1,"crossings":[[${number},1]]}` };
      yield { channel: 'crossings', payload: `{"journal":"e","first":${number},"crossings":[[${now},1]]}` };
      yield { channel: 'crossings', payload: `{"journal":"e","first":2,"crossings":[[${now},1,${number}]]}` };
    }
  }

  /** A message with extremes in several fields. */
  next(): ExtremeMessage {
    if (this.#random() < 0.5) return { channel: 'crossings', payload: this.#crossings() };
    const wrong = Object.keys(this.#validFields()).filter(() => this.#random() < 0.2);
    return this.#heartbeat(Object.fromEntries(wrong.map((field) => [field, this.#anything(field)])));
  }

  #heartbeat(fields: Readonly<Record<string, string>>): ExtremeMessage {
    const all = Object.entries({ ...this.#validFields(), ...fields });
    const payload = `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
    return { channel: 'heartbeat', payload };
  }

  /** The values of the fields as JSON text: not every number that JSON can write is one of ECMAScript. */
  #validFields(): Record<string, string> {
    const now = String(Date.now());
    return {
      at: now,
      uptime: '60',
      version: '"1.0.0"',
      journal: '"hostile"',
      recorded: '1',
      acknowledged: '1',
      clock: '"synced"',
      beams: this.#beams(now, '1'),
      cpuTemperature: '40',
      diskFree: '1000000',
      config: '{"revision":1}',
      lost: '[]',
      waiting: '0',
      commands: '[{"id":1,"state":"done"}]',
    };
  }

  #beams(since: string, breaks: string): string {
    const beam = (name: string, state: string) =>
      `{"name":${name},"state":"${state}","since":${since},"breaks":${breaks}}`;
    return `[${beam(this.#pick(['"outer"', ...quotedTexts]), 'blocked')},${beam('"inner"', 'clear')}]`;
  }

  #anything(field: string): string {
    const [one, other] = [this.#pick(numbers), this.#pick(numbers)];
    if (field === 'beams') return this.#beams(one, other);
    if (field === 'lost') return `[[${this.#journal()},${one},${other}]]`;
    if (field === 'config') return `{"revision":${one},"problem":${this.#pick(quotedTexts)}}`;
    if (field === 'commands') return `[{"id":${one},"state":"running","sent":${other},"total":0}]`;
    return this.#random() < 0.6 ? one : this.#pick(quotedTexts);
  }

  #crossings(): string {
    const first = this.#random() < 0.7 ? '1' : this.#pick(numbers);
    const count = this.#random() < 0.1 ? 1_000 : 5;
    const crossings = Array.from({ length: count }, () => this.#crossing());
    return `{"journal":${this.#journal()},"first":${first},"crossings":[${crossings.join(',')}]}`;
  }

  /** At any time, and at impossible times. */
  #crossing(): string {
    const age = this.#pick([0, 1, 40, 399, 401, 9_000, -1]) * 86_400_000 + Math.floor(this.#random() * 1e6);
    const instant = this.#random() < 0.8 ? String(Date.now() - age) : this.#pick(numbers);
    const direction = this.#random() < 0.9 ? this.#pick(['1', '-1']) : this.#pick(numbers);
    const uncertainty = this.#random() < 0.2 ? `,${this.#pick(numbers)}` : '';
    return `[${instant},${direction}${uncertainty}]`;
  }

  #journal(): string {
    const name = `"hostile-${Math.floor(this.#random() * 50)}"`;
    return this.#random() < 0.7 ? name : this.#pick(quotedTexts);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}
