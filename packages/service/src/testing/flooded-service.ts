import { returnMemoryWhenIdle } from '@visitor-counter/service/return-memory';

/** A process that holds much for a moment, lets go of it, and then has nothing to do. */
returnMemoryWhenIdle();
const before = process.memoryUsage().rss;
let held: unknown[] = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: `${index} of many` }));
const most = process.memoryUsage().rss;
held = [held.length];
setInterval(() => process.send?.({ before, most, now: process.memoryUsage().rss, held: held.length }), 250);
process.once('disconnect', () => process.exit());
