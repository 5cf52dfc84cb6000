import { runRules } from '../run-rules.ts';
import { MemoryStore } from './memory-store.ts';
import { Tables } from './tables.ts';

runRules('the model in memory', async (told) => new MemoryStore(new Tables(told)));
