import { runRules } from '../../../../lab/contracts/store/run-rules.ts';
import { MemoryStore } from './memory-store.ts';
import { Tables } from './tables.ts';

runRules('the model in memory', async (reported) => new MemoryStore(new Tables(reported)));
