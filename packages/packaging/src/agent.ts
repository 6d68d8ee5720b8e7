import { becomeBundledAgent } from './agent/run-agent.ts';

// Only what runs for years is worth the bundling.
if (process.argv[2] === 'run') await becomeBundledAgent(process.argv.slice(2));
await import('@visitor-counter/agent/main');
