/**
 * A vitest reporter that writes the total duration of each test file: imports, hooks and tests. The JSON reporter has
 * only the time of the tests.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** The variable with the name of the output file. */
export const timesVariable = 'MUSTER_TIMES_FILE';

export default class TimesReporter implements Reporter {
  readonly #seconds: Record<string, number> = {};

  onTestModuleEnd(module: TestModule): void {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
      module.diagnostic();
    const ms = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
    this.#seconds[relative(process.cwd(), module.moduleId)] = Math.round(ms / 100) / 10;
  }

  onTestRunEnd(): void {
    const file = process.env[timesVariable];
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#seconds));
  }
}
