import { returnMemoryWhenIdle } from '@visitor-counter/service/return-memory';

/** A process that allocates much memory for a moment, releases it, and is then idle. */
returnMemoryWhenIdle();
const before = process.memoryUsage().rss;
let held: unknown[] = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: `${index} of many` }));
const most = process.memoryUsage().rss;
held = [held.length];
setInterval(() => process.send?.({ before, most, now: process.memoryUsage().rss, held: held.length }), 250);
process.once('disconnect', () => process.exit());
