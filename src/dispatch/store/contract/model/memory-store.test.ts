import { runRules } from '../run-rules.ts';
import { MemoryStore } from './memory-store.ts';

runRules('the model in memory', async () => new MemoryStore());
