import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['suite.ts'], root: import.meta.dirname } });
